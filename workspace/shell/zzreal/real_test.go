package zzreal
import ("testing";"time";"slices";"os";"fmt";"strings";"context"
"github.com/seed-cf6d8d1b/swarm/workspace/shell"
"github.com/seed-cf6d8d1b/swarm/workspace/shell/eval"
"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
"github.com/seed-cf6d8d1b/swarm/workspace/shell/userland"
"github.com/seed-cf6d8d1b/swarm/workspace/shell/worker")
func TestMain(m *testing.M) { worker.Main(func() (shell.Evaluator, *command.Registry) { return eval.New(), userland.Registry() }); os.Exit(m.Run()) }
func TestZ(t *testing.T) {
 p := shell.NewPool(shell.PoolOptions{})
 defer p.Close(context.Background())
 dir := t.TempDir()
 for _, s := range []string{"echo hi", "kill -9 $PPID; kill 0; kill -1 1; echo $?", "x=x; while :; do x=$x$x; done", "head -1 <(yes)", "while :; do :; done", ":(){ :|:& };:", "yes > /big", "f() { f; }; f", "printf '%1000000000d' 1 | wc -c", "echo $(seq 1000000000000)", "echo {1..99999999}", "sleep 999 & echo started", "cat", "jq -n '[range(1e9)]|length'", "cat /proc/self/environ; ls /; ls /tmp; pwd; env | sort | head -3"} {
   b := time.Now()
   ctx, c := context.WithTimeout(t.Context(), 8*time.Second)
   o := p.Run(ctx, &shell.Job{Command: s, Host: dir})
   c()
   text := shell.Text(o); if len(text) > 300 { text = text[:300] }
   t.Logf("%q: %v %s %v\n%s", s, time.Since(b), o.Kind, o.OpenForWriting, text)
 }
 p.Warm()
 time.Sleep(time.Second)
 var d []time.Duration
 for range 100 { time.Sleep(15*time.Millisecond); b := time.Now(); p.Run(t.Context(), &shell.Job{Command: "echo hi", Host: dir}); d = append(d, time.Since(b)) }
 slices.Sort(d); t.Log(d[0], d[25], d[50], d[90])
 d = nil
 for range 100 { b := time.Now(); p.Run(t.Context(), &shell.Job{Command: "echo hi", Host: dir}); d = append(d, time.Since(b)) }
 slices.Sort(d); t.Log("b2b", d[0], d[25], d[50], d[90])
 l, _ := os.ReadDir("/proc")
 for _, e := range l { c, _ := os.ReadFile("/proc/"+e.Name()+"/cmdline"); if strings.HasPrefix(string(c), "swarm-shell-worker") { s, _ := os.ReadFile("/proc/"+e.Name()+"/status"); for x := range strings.Lines(string(s)) { if strings.HasPrefix(x, "Rss") || strings.HasPrefix(x,"PPid") { fmt.Print(x) } } } }
}
