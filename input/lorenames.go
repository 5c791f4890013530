package input

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/internal/near"
)

// members are those of a file or an entry.
type members struct {
	own     []string // with a meaning here
	foreign []string // of other programs, without one
	what    string
}

var fileMembers = members{
	what: "the file",
	own:  []string{"entries", "name"},
	foreign: []string{
		"description", "extensions", "originalData", "recursive_scanning", "scan_depth", "token_budget",
	},
}

var entryMembers = members{
	what: "the entry",
	own: []string{
		"world", "uid", "name", "keys", "content", "constant", "position", "order", "enabled", "disable",
		"id", "comment", "key", "insertion_order", "disabled",
	},
	foreign: []string{
		"addMemo", "automationId", "case_sensitive", "caseSensitive", "characterFilter", "cooldown", "delay", "delayUntilRecursion", "depth",
		"displayIndex", "excludeRecursion", "extensions", "group", "groupOverride", "groupWeight", "ignoreBudget", "keysecondary",
		"matchCharacterDepthPrompt", "matchCharacterDescription", "matchCharacterPersonality", "matchCreatorNotes", "matchPersonaDescription",
		"matchScenario", "matchWholeWords", "outletName", "preventRecursion", "priority", "probability", "role", "scanDepth", "secondary_keys",
		"selective", "selectiveLogic", "sticky", "triggers", "use_regex", "useGroupScoring", "useProbability", "vectorized",
	},
}

// unknown notes members that mean nothing. What stands beside a member of another program
// is that program's, known or not.
func (p *loreFile) unknown(n *yaml.Node, known members) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if slices.Contains(known.foreign, n.Content[i].Value) {
			return
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if name := n.Content[i].Value; !slices.Contains(known.own, name) {
			p.fault(n.Content[i], fmt.Sprintf("%s has no member %q", known.what, short(name)), fmt.Sprintf("the nearest one is %q", near.One(name, known.own)))
		}
	}
}
