package eval

// option is an option of set.
type option uint8

// The options of set, in the order of their listing.
const (
	optAllExport option = iota
	optBraceExpand
	optEmacs
	optErrExit
	optErrTrace
	optFuncTrace
	optHashAll
	optHistExpand
	optHistory
	optIgnoreEOF
	optInteractiveComments
	optKeyword
	optMonitor
	optNoClobber
	optNoExec
	optNoGlob
	optNoLog
	optNotify
	optNoUnset
	optOneCmd
	optPhysical
	optPipeFail
	optPosix
	optPrivileged
	optVerbose
	optVi
	optXTrace
	numOptions
)

// setOptions gives the names and letters of the options; a letter of 0 is none.
var setOptions = [numOptions]struct {
	name   string
	letter byte
}{
	{"allexport", 'a'},
	{"braceexpand", 'B'},
	{"emacs", 0},
	{"errexit", 'e'},
	{"errtrace", 'E'},
	{"functrace", 'T'},
	{"hashall", 'h'},
	{"histexpand", 'H'},
	{"history", 0},
	{"ignoreeof", 0},
	{"interactive-comments", 0},
	{"keyword", 'k'},
	{"monitor", 'm'},
	{"noclobber", 'C'},
	{"noexec", 'n'},
	{"noglob", 'f'},
	{"nolog", 0},
	{"notify", 'b'},
	{"nounset", 'u'},
	{"onecmd", 't'},
	{"physical", 'P'},
	{"pipefail", 0},
	{"posix", 0},
	{"privileged", 'p'},
	{"verbose", 'v'},
	{"vi", 0},
	{"xtrace", 'x'},
}

// shopt is an option of shopt.
type shopt uint8

// The options of shopt, in the order of their listing.
const (
	shoptAutoCD shopt = iota
	shoptAssocExpandOnce
	shoptCDableVars
	shoptCDSpell
	shoptCheckHash
	shoptCheckJobs
	shoptCheckWinSize
	shoptCmdHist
	shoptCompat31
	shoptCompat32
	shoptCompat40
	shoptCompat41
	shoptCompat42
	shoptCompat43
	shoptCompat44
	shoptCompleteFullQuote
	shoptDirExpand
	shoptDirSpell
	shoptDotGlob
	shoptExecFail
	shoptExpandAliases
	shoptExtDebug
	shoptExtGlob
	shoptExtQuote
	shoptFailGlob
	shoptForceFIgnore
	shoptGlobASCIIRanges
	shoptGlobSkipDots
	shoptGlobStar
	shoptGNUErrFmt
	shoptHistAppend
	shoptHistReedit
	shoptHistVerify
	shoptHostComplete
	shoptHupOnExit
	shoptInheritErrExit
	shoptInteractiveComments
	shoptLastPipe
	shoptLitHist
	shoptLocalVarInherit
	shoptLocalVarUnset
	shoptLoginShell
	shoptMailWarn
	shoptNoEmptyCmdCompletion
	shoptNoCaseGlob
	shoptNoCaseMatch
	shoptNoExpandTranslation
	shoptNullGlob
	shoptPatsubReplacement
	shoptProgComp
	shoptProgCompAlias
	shoptPromptVars
	shoptRestrictedShell
	shoptShiftVerbose
	shoptSourcePath
	shoptVarRedirClose
	shoptXPGEcho
	numShopts
)

// shoptOptions gives the names of the options and whether they are on at the start.
var shoptOptions = [numShopts]struct {
	name string
	on   bool
}{
	{"autocd", false},
	{"assoc_expand_once", false},
	{"cdable_vars", false},
	{"cdspell", false},
	{"checkhash", false},
	{"checkjobs", false},
	{"checkwinsize", true},
	{"cmdhist", true},
	{"compat31", false},
	{"compat32", false},
	{"compat40", false},
	{"compat41", false},
	{"compat42", false},
	{"compat43", false},
	{"compat44", false},
	{"complete_fullquote", true},
	{"direxpand", false},
	{"dirspell", false},
	{"dotglob", false},
	{"execfail", false},
	{"expand_aliases", false},
	{"extdebug", false},
	{"extglob", false},
	{"extquote", true},
	{"failglob", false},
	{"force_fignore", true},
	{"globasciiranges", true},
	{"globskipdots", true},
	{"globstar", false},
	{"gnu_errfmt", false},
	{"histappend", false},
	{"histreedit", false},
	{"histverify", false},
	{"hostcomplete", true},
	{"huponexit", false},
	{"inherit_errexit", false},
	{"interactive_comments", true},
	{"lastpipe", false},
	{"lithist", false},
	{"localvar_inherit", false},
	{"localvar_unset", false},
	{"login_shell", false},
	{"mailwarn", false},
	{"no_empty_cmd_completion", false},
	{"nocaseglob", false},
	{"nocasematch", false},
	{"noexpand_translation", false},
	{"nullglob", false},
	{"patsub_replacement", true},
	{"progcomp", true},
	{"progcomp_alias", false},
	{"promptvars", true},
	{"restricted_shell", false},
	{"shift_verbose", false},
	{"sourcepath", true},
	{"varredir_close", false},
	{"xpg_echo", false},
}

// options are the options of one shell. It is copied with the shell.
type options struct {
	set   [numOptions]bool
	shopt [numShopts]bool
}

func defaultOptions() options {
	var o options
	for _, on := range []option{optBraceExpand, optHashAll, optInteractiveComments} {
		o.set[on] = true
	}
	for i, s := range shoptOptions {
		o.shopt[i] = s.on
	}
	return o
}

// setOption sets an option of set and what follows from it.
func (sh *Shell) setOption(o option, on bool) {
	sh.opts.set[o] = on
	sh.configure()
}

// setShopt sets an option of shopt and what follows from it.
func (sh *Shell) setShopt(o shopt, on bool) {
	sh.opts.shopt[o] = on
	sh.configure()
}

// configure brings the way to expand in line with the options and the directory.
func (sh *Shell) configure() {
	c, o := &sh.exp, &sh.opts
	c.Dir = sh.dir
	c.NoUnset = o.set[optNoUnset]
	c.NoGlob = o.set[optNoGlob]
	c.NoBraces = !o.set[optBraceExpand]
	c.NullGlob = o.shopt[shoptNullGlob]
	c.FailGlob = o.shopt[shoptFailGlob]
	c.DotGlob = o.shopt[shoptDotGlob]
	c.GlobStar = o.shopt[shoptGlobStar]
	c.NoCaseGlob = o.shopt[shoptNoCaseGlob]
	c.NoCase = o.shopt[shoptNoCaseMatch]
	c.ExtGlob = o.shopt[shoptExtGlob]
}

// flags gives $-: the letters of the options of set that are on.
func (sh *Shell) flags() string {
	var b []byte
	for _, letter := range []byte("abefhkmnptuvxBCEHPT") {
		for i, o := range setOptions {
			if o.letter == letter && sh.opts.set[i] {
				b = append(b, letter)
			}
		}
	}
	if sh.mode == modeString {
		b = append(b, 'c')
	}
	if sh.mode == modeInput {
		b = append(b, 's')
	}
	return string(b)
}
