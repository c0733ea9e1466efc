// Command checker reads a history of reads and writes of documents from standard input, an operation
// a line, and prints as JSON whether each document behaved like a register that is changed by
// compare-and-set. Exit status 0 says that the history was judged, whatever the verdict.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// Operation is a line of the history. Times are nanoseconds of one clock. Each write has a value of
// its own; 0 is the value of a document that was never written.
type Operation struct {
	Document string `json:"document"`
	Client   int    `json:"client"`
	Kind     string `json:"kind"` // "read" or "write"
	Start    int64  `json:"start"`
	End      int64  `json:"end"`
	// Outcome of a write: "ok", "conflict", or "unknown": it may have happened, also after its end.
	// Of a read: "ok".
	Outcome string `json:"outcome"`
	// From is the value whose revision a write named; 0 where it named none.
	From    int64 `json:"from"`
	Value   int64 `json:"value"`
	Deleted bool  `json:"deleted"`
	// Happened says of an unknown write that somebody saw its value.
	Happened bool `json:"happened"`
}

// Register is the state of a document. A deleted one keeps the value of its tombstone.
type Register struct {
	Value   int64
	Deleted bool
}

func step(state, input, output interface{}) (bool, interface{}) {
	register, operation := state.(Register), input.(Operation)
	if operation.Kind == "read" {
		return reads(register, operation), register
	}
	matches := register.Value == operation.From
	if operation.From == 0 {
		matches = register.Value == 0 || register.Deleted
	}
	next := Register{Value: operation.Value, Deleted: operation.Deleted}
	switch {
	case operation.Outcome == "conflict":
		return !matches, register
	case matches:
		return true, next
	default:
		// An unknown write that did nothing stands at the end of time, where it disturbs nobody.
		return operation.Outcome == "unknown" && !operation.Happened, register
	}
}

func reads(register Register, operation Operation) bool {
	if operation.Deleted {
		return register.Deleted
	}
	return register.Value == operation.Value && !register.Deleted
}

func describe(input, _ interface{}) string {
	operation := input.(Operation)
	what := fmt.Sprint(operation.Value)
	if operation.Deleted {
		what += " deleted"
	}
	if operation.Kind == "read" {
		return "read " + what
	}
	return fmt.Sprintf("write %d to %s: %s", operation.From, what, operation.Outcome)
}

func describeState(state interface{}) string {
	register := state.(Register)
	if register.Deleted {
		return fmt.Sprintf("%d deleted", register.Value)
	}
	return fmt.Sprint(register.Value)
}

var model = porcupine.Model{
	Init:              func() interface{} { return Register{} },
	Step:              step,
	DescribeOperation: describe,
	DescribeState:     describeState,
}

// Verdict on a document.
type Verdict struct {
	Document   string `json:"document"`
	Result     string `json:"result"` // "Ok", "Illegal", or "Unknown" where time ran out
	Operations int    `json:"operations"`
	// Stuck are operations that no order explains, in words: those outside of the longest legal order.
	Stuck []string `json:"stuck,omitempty"`
}

const endOfTime = int64(1) << 62

func judge(document string, history []Operation, patience time.Duration, pictures string) (Verdict, error) {
	operations := make([]porcupine.Operation, len(history))
	for i, operation := range history {
		end := operation.End
		if operation.Outcome == "unknown" {
			end = endOfTime
		}
		operations[i] = porcupine.Operation{ClientId: operation.Client, Input: operation, Call: operation.Start, Return: end}
	}
	result, information := porcupine.CheckOperationsVerbose(model, operations, patience)
	verdict := Verdict{Document: document, Result: string(result), Operations: len(history)}
	if result == porcupine.Ok {
		return verdict, nil
	}
	verdict.Stuck = stuck(history, information)
	if pictures == "" {
		return verdict, nil
	}
	file, err := os.Create(fmt.Sprintf("%s/%s.html", pictures, document))
	if err != nil {
		return verdict, err
	}
	defer file.Close()
	return verdict, porcupine.Visualize(model, information, file)
}

func stuck(history []Operation, information porcupine.LinearizationInfo) []string {
	var longest []int
	for _, partition := range information.PartialLinearizations() {
		for _, order := range partition {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	placed := map[int]bool{}
	for _, index := range longest {
		placed[index] = true
	}
	var words []string
	for index, operation := range history {
		if !placed[index] && len(words) < 5 {
			words = append(words, fmt.Sprintf("client %d, %d to %d: %s", operation.Client, operation.Start, operation.End, describe(operation, nil)))
		}
	}
	return words
}

func read() (map[string][]Operation, error) {
	documents := map[string][]Operation{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var operation Operation
		if err := json.Unmarshal(lines.Bytes(), &operation); err != nil {
			return nil, err
		}
		documents[operation.Document] = append(documents[operation.Document], operation)
	}
	return documents, lines.Err()
}

func run() error {
	patience := flag.Duration("patience", time.Minute, "for each document")
	pictures := flag.String("pictures", "", "folder for a page on each document that is not linearizable")
	flag.Parse()
	documents, err := read()
	if err != nil {
		return err
	}
	names := make([]string, 0, len(documents))
	for name := range documents {
		names = append(names, name)
	}
	sort.Strings(names)
	verdicts := []Verdict{}
	for _, name := range names {
		history := documents[name]
		sort.SliceStable(history, func(a, b int) bool { return history[a].Start < history[b].Start })
		verdict, err := judge(name, history, *patience, *pictures)
		if err != nil {
			return err
		}
		verdicts = append(verdicts, verdict)
	}
	return json.NewEncoder(os.Stdout).Encode(verdicts)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
