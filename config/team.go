package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model/price"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Version is the version of the team format that this program reads and writes.
const Version = 1

// DefaultModel is the name in [Team.Models] of the model that a profile without one uses.
const DefaultModel = "default"

const defaultLoreScan = 4

// Team is the whole configuration of a run. [Load] and [Parse] fill in every default; a
// team that a program builds is judged by [Team.Validate].
type Team struct {
	Version  int                       `json:"version"`
	Name     string                    `json:"name"`
	Entry    string                    `json:"entry"` // id of the root agent
	Models   map[string]Model          `json:"models"`
	Agents   map[string]*agent.Profile `json:"agents"` // by id
	Mounts   []workspace.MountSpec     `json:"mounts,omitempty"`
	Budgets  agent.Budgets             `json:"budgets"`
	StoreDir string                    `json:"store_dir"` // absolute
	// Durability is "full" or "relaxed"; see the journal.
	Durability string `json:"durability"`
	// LoreScan is how many of the newest messages of a conversation are searched for the
	// keys of lore entries; default 4.
	LoreScan int `json:"lore_scan,omitempty"`
	// Prices count before those that are part of the program; nil: there are none.
	Prices *price.Table `json:"prices,omitempty"`
	// PlainEnv are names of the environment whose values are no secrets.
	PlainEnv []string `json:"plain_env,omitempty"`
	// Shell configures the sandboxed shell; the zero value is the default.
	Shell Shell `json:"shell,omitzero"`
	// Warnings are what loading noticed. They are no part of the canonical form.
	Warnings []Fault `json:"-"`

	places map[string]Fault // of the keys of the team file, by dotted path
}

// Providers of models in this version.
const (
	OpenAI    = "openai"    // chat completions, of the service or of any server of that shape
	Anthropic = "anthropic" // the Messages API
	Gemini    = "gemini"    // generateContent
	Scripted  = "scripted"  // answers of a script; no network
	Replay    = "replay"    // answers of a recording; no network
)

// Model says how to reach one model. Values may hold references ${NAME} to the
// environment where noted; see [Expand].
type Model struct {
	Provider    string            `json:"provider"`
	Model       string            `json:"model,omitempty"`        // may hold references
	BaseURL     string            `json:"base_url,omitempty"`     // may hold references
	APIKey      string            `json:"api_key,omitempty"`      // a reference, never a key
	APIKeyFile  string            `json:"api_key_file,omitempty"` // absolute; wins over APIKey
	Auth        string            `json:"auth,omitempty"`         // bearer (also ""), header:<name>, none
	Headers     map[string]string `json:"headers,omitempty"`      // may hold references
	Script      string            `json:"script,omitempty"`       // text of the script
	ScriptFile  string            `json:"script_file,omitempty"`  // its name in messages
	Stream      *bool             `json:"stream,omitempty"`       // nil: true
	Window      int               `json:"window,omitempty"`       // tokens of a request and its answer; 0: of known models, else learned
	Vision      *bool             `json:"vision,omitempty"`       // whether it takes images; nil: as is known of it, else not
	MaxOutput   int               `json:"max_output,omitempty"`   // tokens; 0: the server's
	Temperature *float64          `json:"temperature,omitempty"`
	TopP        *float64          `json:"top_p,omitempty"`
	Stop        []string          `json:"stop,omitempty"`
	Reasoning   string            `json:"reasoning,omitempty"` // off (also ""), low, medium, high, or tokens:N
	Cache       string            `json:"cache,omitempty"`     // of anthropic: on (also ""), off, 1h
	Limits      Limits            `json:"limits,omitzero"`
	Price       *price.Price      `json:"price,omitempty"`       // nil: what the tables say
	Fallback    []string          `json:"fallback,omitempty"`    // names in Team.Models
	FallbackOn  []string          `json:"fallback_on,omitempty"` // classes of failures; nil: all but content_filter
	Quirks      Quirks            `json:"quirks,omitzero"`
	Proxy       string            `json:"proxy,omitempty"`     // http, https or socks5 URL; may hold references
	Record      string            `json:"record,omitempty"`    // absolute; the cassette that its traffic is written to
	Cassette    string            `json:"cassette,omitempty"`  // absolute; of replay, what it plays
	Normalise   []string          `json:"normalise,omitempty"` // of replay, patterns (RE2) of what may change in requests
	Exact       bool              `json:"exact,omitempty"`     // of replay, whether what was not asked for is an error at the end
	Speed       string            `json:"speed,omitempty"`     // of replay: at_once (also ""), recorded
	Retry       Retry             `json:"retry,omitzero"`
	Timeouts    Timeouts          `json:"timeouts,omitzero"`
}

// Quirks say how a server differs. All but OpenAPISchema are of provider openai.
type Quirks struct {
	MaxTokensField  string `json:"max_tokens_field,omitempty"`
	SystemRole      string `json:"system_role,omitempty"`
	StreamUsage     *bool  `json:"stream_usage,omitempty"`
	ParallelField   *bool  `json:"parallel_field,omitempty"`
	ReasoningField  string `json:"reasoning_field,omitempty"`
	CallID          string `json:"call_id,omitempty"`          // alnum9: ids of calls of nine letters and digits; "": the program's own
	ReplayReasoning bool   `json:"replay_reasoning,omitempty"` // send reasoning back with its answer
	GrammarSchema   bool   `json:"grammar_schema,omitempty"`   // leave out of schemas what grammars of servers cannot express
	OpenAPISchema   bool   `json:"openapi_schema,omitempty"`   // of gemini
}

// Retry bounds the attempts of one model request. The type converts to [agent.Retry].
type Retry struct {
	Attempts int           `json:"attempts,omitempty"`
	Base     time.Duration `json:"base,omitempty"`
	Cap      time.Duration `json:"cap,omitempty"`
	MaxWait  time.Duration `json:"max_wait,omitempty"`
	Total    time.Duration `json:"total,omitempty"`
}

// Limits of the key of a server; zero: none, but for Concurrency, whose default is 8. Of
// several models with one key the lowest of each number counts. The type converts to that
// of the limiter.
type Limits struct {
	Concurrency int   `json:"concurrency,omitempty"`         // requests at the same time
	Requests    int   `json:"requests_per_minute,omitempty"` // that begin
	Tokens      int64 `json:"tokens_per_minute,omitempty"`   // read and written
}

// Timeouts of one attempt. The type converts to that of the providers.
type Timeouts struct {
	Connect    time.Duration `json:"connect,omitempty"`
	FirstToken time.Duration `json:"first_token,omitempty"`
	Between    time.Duration `json:"between,omitempty"`
	Content    time.Duration `json:"content,omitempty"`
	Total      time.Duration `json:"total,omitempty"`
}

// Canonical gives the team as JSON, equal bytes for equal teams.
func (t *Team) Canonical() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(t); err != nil {
		panic(err) // only a number that JSON lacks, which loading and Validate refuse
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Hash is the SHA-256 of the canonical form, in hex.
func (t *Team) Hash() string {
	sum := sha256.Sum256(t.Canonical())
	return hex.EncodeToString(sum[:])
}

// Decode reads what [Team.Canonical] gave. Codes: "config.invalid_json" for what is no
// team or holds what this version does not know, "config.version".
func Decode(data []byte) (*Team, error) {
	t := new(Team)
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(t); err != nil {
		return nil, fault.Wrap(err, "config.invalid_json", "this is no team of this version").With("decode team", "")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fault.New("config.invalid_json", "something follows the team").With("decode team", "")
	}
	if t.Version != Version {
		return nil, fault.New("config.version", "the team has version %d, this program reads version %d", t.Version, Version).With("decode team", t.Name)
	}
	for id, p := range t.Agents {
		if p == nil {
			return nil, fault.New("config.invalid_json", "agent %q is null", id).With("decode team", t.Name)
		}
	}
	return t, nil
}

// Expand replaces each reference ${NAME} in a text by its value. A name that lookup does
// not know, or whose value is empty, is an error of code "config.variable_missing".
func Expand(text string, lookup func(string) (string, bool)) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !validVariable(name) {
			return "", fault.New("config.value", "%s", badReference).With("expand", "")
		}
		value, ok := lookup(name)
		if !ok || value == "" {
			return "", fault.New("config.variable_missing", "the environment variable %s is not set", name)
		}
		b.WriteString(value)
		text = after
	}
}

const badReference = "a reference to the environment is ${NAME}, with a NAME of letters, digits and _"

// references gives the names that a text refers to, and whether all are well formed.
func references(text string) (names []string, ok bool) {
	for {
		_, rest, found := strings.Cut(text, "${")
		if !found {
			return names, true
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !validVariable(name) {
			return nil, false
		}
		names = append(names, name)
		text = after
	}
}

func validVariable(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// Place gives where a key of the team file stands, such as models.default.api_key, else the
// nearest key above it. It is empty for a team that was not loaded from a file.
func (t *Team) Place(path string) Fault {
	for path != "" {
		if f, ok := t.places[path]; ok {
			return f
		}
		path = path[:max(strings.LastIndexByte(path, '.'), 0)]
	}
	return Fault{}
}

// Summary gives the team in one line: name, entry, and what it has.
func (t *Team) Summary() string {
	return fmt.Sprintf("team %s: entry %s, agents %d, models %d, mounts %d", t.Name, t.Entry, len(t.Agents), len(t.Models), len(t.Mounts))
}
