package cli

import "charm.land/lipgloss/v2"

// looks are the colours of the live tree. A nil one has none.
type looks struct {
	faint lipgloss.Style
	words map[string]lipgloss.Style // by state
}

func newLooks() *looks {
	style := lipgloss.NewStyle()
	good, bad, waits, works := style.Foreground(lipgloss.Green), style.Foreground(lipgloss.Red), style.Foreground(lipgloss.Yellow), style.Foreground(lipgloss.Cyan)
	return &looks{faint: style.Faint(true), words: map[string]lipgloss.Style{
		"completed": good, "failed": bad, "unknown": bad, "parked": bad, "partial": waits, "cancelled": waits, "paused": waits,
		"running": works, "closing": works, "waiting_human": waits,
	}}
}

// state colours a text after a state.
func (l *looks) state(word, text string) string {
	if l == nil {
		return text
	}
	style, ok := l.words[word]
	if !ok {
		return l.dim(text)
	}
	return style.Render(text)
}

// dim makes a text stand back.
func (l *looks) dim(text string) string {
	if l == nil || text == "" {
		return text
	}
	return l.faint.Render(text)
}
