package server

import (
	"time"

	"governance.internal/functions/toolserver/mcp/eventstream"
	"governance.internal/functions/toolserver/mcp/middleware"
	"governance.internal/functions/toolserver/work/processes"
)

// The limits of a connection.
const (
	headerLimit = 10 * time.Second  // for the header of a request
	readLimit   = 30 * time.Second  // for the whole request
	idleLimit   = 130 * time.Second // between two requests
)

// drainLimit is how long running calls may take to end when the server ends.
const drainLimit = 25 * time.Second

// deadline is one timeout between the request to halt and the last SIGKILL.
type deadline struct {
	limit time.Duration
	held  string // "folder name" of the constant below this one, or where infra sets it
	what  string
}

// The deadlines of the kill path, the innermost first. A test compares each with the
// constant or the setting that holds it.
var (
	freeze    = deadline{300 * time.Millisecond, "work/processes freezeBudget", "everything left is stopped, so that nothing forks"}
	lastKill  = deadline{800 * time.Millisecond, "work/processes killBudget", "everything left gets SIGKILL until it is gone"}
	grace     = deadline{processes.Grace, "work/processes Grace", "processes end by themselves after SIGTERM"}
	awsTry    = deadline{1500 * time.Millisecond, "work/managed/cloud attemptLimit", "one try of a request to ECS or Lambda"}
	program   = deadline{3 * time.Second, "work/managed programLimit", "a program such as pm2 or systemctl answers"}
	hard      = deadline{3 * time.Second, "work/managed hardAfter", "a provider ends softly, then hard"}
	providers = deadline{4 * time.Second, "work/managed stopBudget", "all providers together stop their processes"}
	ending    = deadline{5400 * time.Millisecond, "work/killswitch endLimit", "a halt waits until what runs has ended"}
	trail     = deadline{500 * time.Millisecond, "work/killswitch auditBudget", "a halt waits for one audit entry, and for the other tasks"}
	shared    = deadline{time.Second, "work/killswitch sharedBudget", "one look at the halt that tasks share"}
	toolCall  = deadline{middleware.CallLimit, "mcp/middleware CallLimit", "a tool works"}
	draining  = deadline{drainLimit, ". drainLimit", "running calls end when the server ends"}
	leaving   = deadline{2 * time.Second, "work/cluster releaseLimit", "a task gives back its lease"}
	body      = deadline{readLimit, ". readLimit", "a request arrives"}
	alive     = deadline{eventstream.Interval, "mcp/eventstream Interval", "a stream is silent at most"}
	idle      = deadline{idleLimit, ". idleLimit", "a connection waits for its next request"}

	originRead = deadline{60 * time.Second, "OriginReadTimeout", "CloudFront waits for the next bytes"}
	originIdle = deadline{60 * time.Second, "OriginKeepaliveTimeout", "CloudFront keeps a connection"}
	taskStop   = deadline{60 * time.Second, "StopTimeout", "ECS waits between SIGTERM and SIGKILL"}
	balancer   = deadline{120 * time.Second, "idle_timeout.timeout_seconds", "the load balancer waits for the next bytes"}
)

// deadlines are all of them. No Lambda stands on this path: CloudFront reaches the
// service through the load balancer, so no timeout of a function counts.
var deadlines = []deadline{
	freeze, lastKill, grace, awsTry, program, hard, providers, ending, trail, shared,
	toolCall, draining, leaving, body, alive, idle, originRead, originIdle, taskStop, balancer,
}

// order requires that some deadlines, one after another, fit into another one.
type order struct {
	inner []deadline
	outer deadline
	why   string
}

// orders are what the deadlines must keep.
var orders = []order{
	{[]deadline{freeze}, lastKill, "what is stopped must still be killed"},
	{[]deadline{awsTry, awsTry}, providers, "a request to ECS or Lambda gets two full tries"},
	{[]deadline{program}, providers, "a program that hangs must not use up the time of the others"},
	{[]deadline{hard}, providers, "time is left for the hard end"},
	{[]deadline{providers, lastKill}, ending, "the answer names what became of managed processes"},
	{[]deadline{grace, lastKill, freeze}, ending, "the answer names what survives SIGKILL"},
	{[]deadline{shared, ending, trail, trail}, toolCall, "the answer of a halt comes before the limit of its call"},
	{[]deadline{toolCall}, draining, "a call that runs gets its answer when the server ends"},
	{[]deadline{draining, ending, leaving}, taskStop, "everything is ended before ECS ends the server"},
	{[]deadline{toolCall}, originRead, "CloudFront waits for the answer of every call"},
	{[]deadline{alive, alive}, originRead, "a stream survives one late keep-alive"},
	{[]deadline{body}, originRead, "a client that sends too slowly gets the answer of the server, not of CloudFront"},
	{[]deadline{originRead}, balancer, "CloudFront gives up first, and says so"},
	{[]deadline{originIdle}, balancer, "CloudFront never reuses a connection that the load balancer closed"},
	{[]deadline{balancer}, idle, "the load balancer never reuses a connection that the server closed"},
}
