package workspace

// RankWords gives the plain ranking of searches (tools spec §3): a function that scores a
// text by the share of the query's words that it holds, 0 for none, and says at which
// character the first of them begins. Case is ignored. A query without a word:
// "workspace.pattern_invalid".
func RankWords(query string) (func(text string) (score float64, at int), error) {
	return matcher(SearchQuery{Query: query, Mode: PlainWords})
}
