package input

import "unicode/utf8"

// keyFinder finds many keys in a text in one pass: the time is linear in the text and in
// the keys together. Texts and keys are read as the words that they consist of (see
// [nextWord]): a key occurs as a whole word exactly where its words follow each other in
// the text. The keys are an automaton of Aho and Corasick over words.
type keyFinder struct {
	words map[string]int32 // number of each word of a key
	edges map[edge]int32   // to the node that a word leads to
	nodes []keyNode        // the first one stands for no word at all
}

type edge struct{ node, word int32 }

// keyNode stands for the words from the beginning of a key to one of them.
type keyNode struct {
	edge       // that leads here
	fail int32 // node of the longest end of its words that a key begins with
	next int32 // nearest node on the way of fail that is a whole key; 0: none
	key  bool  // its words are a whole key
	seen bool  // it was met in a text, and all of its next with it
	in   int   // number of the first text that it was met in
}

func newKeyFinder() *keyFinder {
	return &keyFinder{words: map[string]int32{}, edges: map[edge]int32{}, nodes: make([]keyNode, 1)}
}

// add takes a folded key and gives its node; 0 for a key without a character, which is
// never found.
func (k *keyFinder) add(key string) (node int32) {
	for key != "" {
		n := nextWord(key)
		word, known := k.words[key[:n]]
		if !known {
			word = int32(len(k.words))
			k.words[key[:n]] = word
		}
		e := edge{node, word}
		to, known := k.edges[e]
		if !known {
			to = int32(len(k.nodes))
			k.nodes = append(k.nodes, keyNode{edge: e})
			k.edges[e] = to
		}
		node, key = to, key[n:]
	}
	k.nodes[node].key = node != 0
	return node
}

// link prepares the search, once all keys are there.
func (k *keyFinder) link() {
	below := make([][]int32, len(k.nodes))
	for i := 1; i < len(k.nodes); i++ {
		from := k.nodes[i].node
		below[from] = append(below[from], int32(i))
	}
	for level := below[0]; len(level) > 0; {
		var deeper []int32
		for _, i := range level {
			n := &k.nodes[i]
			if n.node != 0 {
				n.fail = k.step(k.nodes[n.node].fail, n.word)
			}
			if n.next = n.fail; !k.nodes[n.fail].key {
				n.next = k.nodes[n.fail].next
			}
			deeper = append(deeper, below[i]...)
		}
		level = deeper
	}
}

// step gives the node after one more word.
func (k *keyFinder) step(node, word int32) int32 {
	for {
		if to, ok := k.edges[edge{node, word}]; ok {
			return to
		}
		if node == 0 {
			return 0
		}
		node = k.nodes[node].fail
	}
}

// search looks through a folded text. Its number is remembered for each key that no text
// before had.
func (k *keyFinder) search(text string, number int) {
	for node := int32(0); text != ""; {
		n := nextWord(text)
		word, known := k.words[text[:n]]
		text = text[n:]
		if !known {
			node = 0
			continue
		}
		node = k.step(node, word)
		// A node that was seen has had its whole chain: each is walked once.
		for i := node; i != 0 && !k.nodes[i].seen; i = k.nodes[i].next {
			k.nodes[i].seen, k.nodes[i].in = true, number
		}
	}
}

// found gives the first text that had the key of a node.
func (k *keyFinder) found(node int32) (number int, ok bool) {
	n := &k.nodes[node]
	return n.in, n.seen
}

// nextWord gives how many bytes the first word of a text has: characters that are joined,
// else one character alone.
func nextWord(text string) int {
	last, at := utf8.DecodeRuneInString(text)
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !joined(last, r) {
			break
		}
		last, at = r, at+size
	}
	return at
}
