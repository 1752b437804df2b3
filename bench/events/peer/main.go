// Publishes to JetStream as the platform's relay does, for the benchmark of domain events: a message of the given size, an id of its
// own on each, so many without an answer at once. Prints the rate and its own CPU as a line of JSON.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"log"
	"os"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

func main() {
	url := flag.String("url", nats.DefaultURL, "address of the server")
	subject := flag.String("subject", "", "subject of a stream")
	messages := flag.Int("messages", 5000, "how many")
	inFlight := flag.Int("in-flight", 100, "how many without an answer at once")
	size := flag.Int("size", 700, "bytes of a message")
	flag.Parse()
	connection, err := nats.Connect(*url)
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	client, err := jetstream.New(connection, jetstream.WithPublishAsyncMaxPending(*inFlight))
	if err != nil {
		log.Fatal(err)
	}
	body := bytes.Repeat([]byte("x"), *size)
	from, cpu := time.Now(), cpuTime()
	answers := make([]jetstream.PubAckFuture, 0, *messages)
	for range *messages {
		answer, err := client.PublishAsync(*subject, body, jetstream.WithMsgID(nuid.Next()), jetstream.WithStallWait(30*time.Second))
		if err != nil {
			log.Fatal(err)
		}
		answers = append(answers, answer)
	}
	for _, answer := range answers {
		select {
		case <-answer.Ok():
		case err := <-answer.Err():
			log.Fatal(err)
		}
	}
	seconds, used := time.Since(from).Seconds(), cpuTime()-cpu
	count := float64(*messages)
	figures := map[string]float64{"per second": count / seconds, "cpu us": float64(used.Microseconds()) / count}
	if err := json.NewEncoder(os.Stdout).Encode(figures); err != nil {
		log.Fatal(err)
	}
}

// User and system time of this process.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
