package actors

import "runtime"

func goexit() { runtime.Goexit() }
