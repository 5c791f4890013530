package expand

import (
	"strings"
)

// read reads the next token.
func (p *reader) read() {
	for p.pos < len(p.s) && strings.IndexByte(" \t\n", p.s[p.pos]) >= 0 {
		p.pos++
	}
	p.at = p.pos
	rest := p.s[p.pos:]
	switch {
	case rest == "":
		p.tok = opEnd
		return
	case rest[0] >= '0' && rest[0] <= '9':
		n := 1
		for n < len(rest) && (isWordByte(rest[n]) || rest[n] == '#' || rest[n] == '@') {
			n++
		}
		p.pos += n
		p.tok = opNumber
		p.value, p.err = number(rest[:n])
		return
	case isWordByte(rest[0]):
		p.name(rest)
		return
	}
	for _, t := range tokens {
		if strings.HasPrefix(rest, t.text) {
			p.pos += len(t.text)
			p.tok = t.op
			return
		}
	}
	p.pos++
	p.tok = opBad
}

func (p *reader) name(rest string) {
	n := 1
	for n < len(rest) && isWordByte(rest[n]) {
		n++
	}
	p.tok, p.ref = opName, ref{name: rest[:n]}
	if n < len(rest) && rest[n] == '[' {
		depth := 0
		for i := n; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '[':
				depth++
			case ']':
				depth--
			}
			if depth == 0 {
				p.ref.sub = subscriptText(rest[n+1 : i])
				n = i + 1
				break
			}
		}
		if depth != 0 {
			p.tok = opBad
		}
	}
	p.pos += n
}

var tokens = []struct {
	text string
	op   operator
}{
	{"<<=", opShlAssign}, {">>=", opShrAssign}, {"**=", opPowAssign},
	{"==", opEqual}, {"!=", opNotEqual}, {"<=", opLessEqual}, {">=", opGreaterEqual}, {"&&", opAnd}, {"||", opOr},
	{"<<", opShl}, {">>", opShr}, {"**", opPow}, {"++", opInc}, {"--", opDec},
	{"*=", opMulAssign}, {"/=", opQuoAssign}, {"%=", opRemAssign}, {"+=", opAddAssign}, {"-=", opSubAssign},
	{"&=", opBitAndAssign}, {"^=", opXorAssign}, {"|=", opBitOrAssign},
	{"=", opAssign}, {"*", opMul}, {"/", opQuo}, {"%", opRem}, {"+", opAdd}, {"-", opSub}, {"<", opLess}, {">", opGreater},
	{"&", opBitAnd}, {"^", opXor}, {"|", opBitOr}, {"!", opNot}, {"~", opFlip}, {"(", opOpen}, {")", opClose},
	{"?", opQuestion}, {":", opColon}, {",", opComma},
}
