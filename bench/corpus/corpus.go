// Package corpus makes up Brazilian names, addresses and sentences, with words about as frequent as they are in
// customer service. The same number always gives the same text, so that two runs measure the same data.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Corpus makes up texts. The text of a number does not depend on the numbers asked for before.
type Corpus struct {
	first, last, words, streets chooser
}

// New gives the one corpus there is.
func New() *Corpus {
	return &Corpus{
		first: newChooser(firstNames, 4), last: newChooser(lastNames, 3),
		words: newChooser(words, 2), streets: newChooser(streetTypes, 0.3),
	}
}

// Name is a first name and one or two last names.
func (c *Corpus) Name(n int) string {
	r := random(n, 1)
	name := c.first.pick(r) + " " + c.last.pick(r)
	if r.IntN(2) == 0 {
		name += " " + c.last.pick(r)
	}
	return name
}

// Phone is a mobile number in the international form. No two numbers below 89,999,999 share one.
func (c *Corpus) Phone(n int) string {
	return fmt.Sprintf("+55%d9%08d", areaCodes[n%len(areaCodes)], 10_000_000+n*31_337%89_999_999)
}

// Address is a street with its number, quarter and postal code.
func (c *Corpus) Address(n int) string {
	r := random(n, 2)
	return fmt.Sprintf("%s %s %s, %d, %s %s, CEP %05d-%03d", c.streets.pick(r), c.first.pick(r), c.last.pick(r), 1+r.IntN(2500),
		quarters[r.IntN(len(quarters))], c.last.pick(r), 1000+r.IntN(98_999), r.IntN(1000))
}

// Sentence is a message of a customer: 4 to 20 words, now and then with an order number, a price or an address.
func (c *Corpus) Sentence(n int) string {
	r := random(n, 3)
	said := make([]string, 4+r.IntN(17))
	for i := range said {
		said[i] = c.words.pick(r)
	}
	switch r.IntN(10) {
	case 0, 1:
		said = append(said, fmt.Sprintf("pedido %d", 100_000+r.IntN(900_000)))
	case 2:
		said = append(said, fmt.Sprintf("R$ %d,%02d", 5+r.IntN(2000), r.IntN(100)))
	case 3:
		said = append(said, c.Address(n))
	}
	text := strings.Join(said, " ")
	return strings.ToUpper(text[:1]) + text[1:] + []string{"", ".", "?", "!"}[r.IntN(4)]
}

// Title is what a card is called: two to five words.
func (c *Corpus) Title(n int) string {
	r := random(n, 4)
	said := []string{c.words.pick(r), c.words.pick(r)}
	for range r.IntN(3) {
		said = append(said, c.words.pick(r))
	}
	return strings.Join(said, " ") + " - " + c.Name(n)
}

// random is a source that only a number and the kind of text decide.
func random(n int, kind uint64) *rand.Rand { return rand.New(rand.NewPCG(uint64(n), kind)) }

// chooser picks entries of a list, the n-th with a weight of 1/(n+flatness), as words of a language are used.
type chooser struct {
	entries []string
	upTo    []float64 // the sum of the weights up to and with each entry
}

func newChooser(list string, flatness float64) chooser {
	c := chooser{entries: strings.Fields(list)}
	sum := 0.0
	for i := range c.entries {
		c.entries[i] = strings.ReplaceAll(c.entries[i], "_", " ")
		sum += 1 / (float64(i) + 1 + flatness)
		c.upTo = append(c.upTo, sum)
	}
	return c
}

func (c chooser) pick(r *rand.Rand) string {
	at := r.Float64() * c.upTo[len(c.upTo)-1]
	low, high := 0, len(c.upTo)-1
	for low < high {
		if middle := (low + high) / 2; c.upTo[middle] < at {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return c.entries[low]
}
