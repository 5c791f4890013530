package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Series describes one exported series.
type Series struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"` // counter, gauge or histogram
	Labels []string `json:"labels"`
	Help   string   `json:"help"`
}

// All lists every series that a runtime may export, by subject.
func All() []Series { return newVectors().list }

// Upper bounds of the classic buckets, by what they measure; seconds but for counts.
var (
	workBuckets   = []float64{0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14400}                                          // runs, tasks
	queueBuckets  = []float64{0.001, 0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 1800}                                         // tasks that wait
	toolBuckets   = []float64{0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 600}                                  // up to the default time-out
	gateBuckets   = []float64{0.0001, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60}                            // in one process
	modelBuckets  = []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 300}                                    // servers of models
	appendBuckets = []float64{0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1}       // a flush of a disk
	batchBuckets  = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}                                            // up to the writer's bound
	drainBuckets  = []float64{0.01, 0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60}                                              // the default drain is 20
	genaiBuckets  = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92} // as the conventions say
	genaiTokens   = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

// Native histograms: resolution of about 10 % with a bounded number of buckets.
const (
	nativeFactor  = 1.1
	nativeBuckets = 100
	nativeReset   = time.Hour // at the earliest, when there are more buckets
)

// vectors are the series themselves.
type vectors struct {
	runsActive                               *prometheus.GaugeVec
	runsStarted, runsEnded, budgets          *prometheus.CounterVec
	runSeconds                               *prometheus.HistogramVec
	invocations                              *prometheus.GaugeVec
	invocationsEnded, turns                  *prometheus.CounterVec
	tasks, handoffs                          *prometheus.CounterVec
	taskSeconds, taskQueue                   *prometheus.HistogramVec
	pool                                     *prometheus.GaugeVec
	calls                                    *prometheus.CounterVec
	callSeconds                              *prometheus.HistogramVec
	flying                                   *prometheus.GaugeVec
	gateWait                                 *prometheus.HistogramVec
	gateQueue                                *prometheus.GaugeVec
	requests, tokens, retries, cost          *prometheus.CounterVec
	requestSeconds, firstToken, limiterWait  *prometheus.HistogramVec
	limiterQueue                             *prometheus.GaugeVec
	genaiSeconds, genaiTokens                *prometheus.HistogramVec
	shellCommands                            *prometheus.CounterVec
	shellSeconds                             *prometheus.HistogramVec
	records, bytes, recovered                *prometheus.CounterVec
	appendSeconds, batchRecords, drain       *prometheus.HistogramVec
	actors, mailbox, age, leaked, build      *prometheus.Desc
	restarts, escalations, failures          *prometheus.Desc
	undelivered, stale, asks, asksOpen, late *prometheus.Desc

	list []Series
	kept []prometheus.Collector
	read []*prometheus.Desc // collected at a scrape
}

// newVectors makes all series, and the list of them on the way.
func newVectors() *vectors {
	v := &vectors{}
	v.ofRuns()
	v.ofWork()
	v.ofModels()
	v.ofJournal()
	v.ofEngine()
	return v
}

func (v *vectors) ofRuns() {
	v.runsActive = v.gauge("swarm_runs_active", "Runs that this process has at work now.", "team")
	v.runsStarted = v.counter("swarm_runs_started_total", "Runs that this process has begun or resumed.", "team")
	v.runsEnded = v.counter("swarm_runs_ended_total", "Runs that came to rest in this process, paused and parked ones too.", "team", "outcome")
	v.runSeconds = v.histogram("swarm_run_duration_seconds", "Time from the creation of a run to its end, rests included.", workBuckets, "team", "outcome")
	v.budgets = v.counter("swarm_budget_exhausted_total", "Runs in which a budget ran out, once for each run and budget.", "team", "budget")
	v.drain = v.histogram("swarm_drain_seconds", "Time from the wish to pause a run until what had begun was settled.", drainBuckets)
	v.recovered = v.counter("swarm_recovered_calls_total", "Calls that a resume found open, by what became of them; corrupt counts damaged journals.", "class")
}

func (v *vectors) ofWork() {
	v.invocations = v.gauge("swarm_invocations", "Invocations that have not ended, by what they do now.", "agent", "state")
	v.invocationsEnded = v.counter("swarm_invocations_ended_total", "Invocations that ended.", "agent", "kind", "outcome")
	v.turns = v.counter("swarm_turns_total", "Answers of models, by what they were: calls, text, closing, or failed when none came.", "agent", "kind", "outcome")
	v.tasks = v.counter("swarm_tasks_total", "Tasks that ended, by the agent that they were given to.", "agent", "outcome")
	v.taskSeconds = v.histogram("swarm_task_duration_seconds", "Time from the start of a task to its end.", workBuckets, "agent", "outcome")
	v.taskQueue = v.histogram("swarm_task_queue_seconds", "Time from the creation of a task to its start.", queueBuckets, "agent")
	v.pool = v.gauge("swarm_pool_members", "Children: those that hold a slot, wait for one, or have lent theirs.", "state")
	v.handoffs = v.counter("swarm_handoffs_total", "Handoffs that were accepted.", "from", "to")
	v.calls = v.counter("swarm_tool_calls_total", "Calls that were settled; refused ones never began.", "tool", "source", "outcome")
	v.callSeconds = v.histogram("swarm_tool_call_duration_seconds", "Time that effects of calls took.", toolBuckets, "tool", "source", "outcome")
	v.flying = v.gauge("swarm_tool_calls_in_flight", "Calls that were allowed and are not settled: at their gate, or at work.", "tool", "effect")
	v.gateWait = v.histogram("swarm_gate_wait_seconds", "Time that calls waited at a gate.", gateBuckets, "gate", "mode")
	v.gateQueue = v.gauge("swarm_gate_queue", "Calls that wait at gates now.", "gate", "mode")
	v.shellCommands = v.counter("swarm_shell_commands_total", "Commands of the sandboxed shell that ended.", "outcome")
	v.shellSeconds = v.histogram("swarm_shell_duration_seconds", "Time that commands of the sandboxed shell took, without the wait for a worker.", toolBuckets, "outcome")
}

func (v *vectors) ofModels() {
	v.requests = v.counter("swarm_model_requests_total", "Requests that went to models, retries counted each.", "provider", "model", "outcome")
	v.requestSeconds = v.histogram("swarm_model_request_duration_seconds", "Time of one request to a model, without pauses between retries.", modelBuckets, "provider", "model", "outcome")
	v.firstToken = v.histogram("swarm_model_first_token_seconds", "Time from a request to the first piece of its answer, where answers come in pieces.", modelBuckets, "provider", "model")
	v.tokens = v.counter("swarm_model_tokens_total", "Tokens as servers reported them: input holds cache_read, output holds reasoning.", "provider", "model", "type")
	v.cost = v.counter("swarm_model_cost_usd_total", "Dollars that answers cost, of models whose price is known.", "provider", "model", "agent")
	v.retries = v.counter("swarm_model_retries_total", "Requests that failed and were repeated.", "provider", "reason")
	v.limiterWait = v.histogram("swarm_limiter_wait_seconds", "Time that requests waited for the limiter of their key, by what for; none: not at all.", queueBuckets, "provider", "reason")
	v.limiterQueue = v.gauge("swarm_limiter_queue", "Requests that wait for the limiter of their key now.", "provider", "reason")
	v.genaiSeconds = v.histogram("gen_ai_client_operation_duration_seconds", "Time of one request to a model.", genaiBuckets,
		"gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model", "error_type")
	v.genaiTokens = v.histogram("gen_ai_client_token_usage", "Tokens of one answer.", genaiTokens,
		"gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model", "gen_ai_token_type")
}

func (v *vectors) ofJournal() {
	v.records = v.counter("swarm_journal_records_total", "Records of this process that became durable.", "type")
	v.appendSeconds = v.histogram("swarm_journal_append_seconds", "Time of one flush of the journal, which may serve many runs.", appendBuckets)
	v.batchRecords = v.histogram("swarm_journal_batch_records", "Records that one flush of the journal made durable.", batchBuckets)
	v.bytes = v.counter("swarm_journal_bytes_total", "About how many bytes became durable: contents, and 512 for each record.")
}

func (v *vectors) ofEngine() {
	v.actors = v.desc("swarm_actors", "gauge", "Actors that live now.", "kind")
	v.restarts = v.desc("swarm_actor_restarts_total", "counter", "Actors that were made anew after a failure.", "kind")
	v.escalations = v.desc("swarm_actor_escalations_total", "counter", "Supervisors that failed because their children failed too often.", "kind")
	v.failures = v.desc("swarm_actor_failures_total", "counter", "Panics of actors, failures of supervisors, and actors that did not stop.", "kind")
	v.undelivered = v.desc("swarm_undelivered_total", "counter", "Messages that nobody got: to nobody, to an ended actor, or left behind in a mailbox.", "reason")
	v.stale = v.desc("swarm_stale_done_total", "counter", "Outcomes of effects whose actor had gone on without them.")
	v.leaked = v.desc("swarm_effects_leaked", "gauge", "Effects that did not stop and have not returned.")
	v.asks = v.desc("swarm_asks_total", "counter", "Requests between actors that were settled.", "outcome")
	v.asksOpen = v.desc("swarm_asks_open", "gauge", "Requests between actors that are open now.")
	v.late = v.desc("swarm_late_answers_total", "counter", "Answers to requests that were settled already.")
	v.mailbox = v.desc("swarm_mailbox_length", "gauge", "Messages queued, of the actor that has most.", "kind")
	v.age = v.desc("swarm_mailbox_age_seconds", "gauge", "How long mail has waited behind one message, of the worst actor, as seen between scrapes.", "kind")
	v.build = v.desc("swarm_build_info", "gauge", "Always 1; the labels say what runs.", "version", "go")
}

func (v *vectors) add(name, kind, help string, labels []string) {
	v.list = append(v.list, Series{name, kind, append([]string{}, labels...), help})
}

func (v *vectors) counter(name, help string, labels ...string) *prometheus.CounterVec {
	v.add(name, "counter", help, labels)
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	v.kept = append(v.kept, c)
	return c
}

func (v *vectors) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	v.add(name, "gauge", help, labels)
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	v.kept = append(v.kept, g)
	return g
}

func (v *vectors) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	v.add(name, "histogram", help, labels)
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor: nativeFactor, NativeHistogramMaxBucketNumber: nativeBuckets, NativeHistogramMinResetDuration: nativeReset}, labels)
	v.kept = append(v.kept, h)
	return h
}

func (v *vectors) desc(name, kind, help string, labels ...string) *prometheus.Desc {
	v.add(name, kind, help, labels)
	d := prometheus.NewDesc(name, help, labels, nil)
	v.read = append(v.read, d)
	return d
}
