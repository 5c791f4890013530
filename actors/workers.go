package actors

// workers is the default scheduler: goroutines that are kept for the next mailbox or
// effect. A fresh goroutine grows its stack anew each time, which costs more than all
// else that a message costs. What blocks in a worker takes only that worker: when none
// is idle a new one is started.
type workers struct {
	idle chan func()
	stop chan struct{}
	keep chan struct{} // a token for each idle worker that may stay
}

const maxIdleWorkers = 256 // goroutines that wait for work at most

func newWorkers() *workers {
	return &workers{idle: make(chan func()), stop: make(chan struct{}), keep: make(chan struct{}, maxIdleWorkers)}
}

var _ Scheduler = (*workers)(nil)

// Schedule implements [Scheduler].
func (w *workers) Schedule(f func()) {
	select {
	case w.idle <- f:
	default:
		go w.work(f)
	}
}

func (w *workers) work(f func()) {
	for {
		f()
		select {
		case w.keep <- struct{}{}:
		default:
			return
		}
		select {
		case f = <-w.idle:
			<-w.keep
		case <-w.stop:
			return
		}
	}
}

// close ends the idle workers; those at work end after it.
func (w *workers) close() { close(w.stop) }
