// Package corpus generates Brazilian names, addresses and sentences with the word frequencies of customer service. The
// same number always produces the same text, so that two runs use the same data.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Corpus generates texts. A text depends only on its number.
type Corpus struct {
	first, last, words, streets chooser
}

// New returns the corpus.
func New() *Corpus {
	return &Corpus{
		first: newChooser(firstNames, 4), last: newChooser(lastNames, 3),
		words: newChooser(words, 2), streets: newChooser(streetTypes, 0.3),
	}
}

// Name returns a first name and one or two last names.
func (c *Corpus) Name(n int) string {
	r := random(n, 1)
	name := c.first.pick(r) + " " + c.last.pick(r)
	if r.IntN(2) == 0 {
		name += " " + c.last.pick(r)
	}
	return name
}

// Phone returns a mobile number in international form, unique for n below 89,999,999.
func (c *Corpus) Phone(n int) string {
	return fmt.Sprintf("+55%d9%08d", areaCodes[n%len(areaCodes)], 10_000_000+n*31_337%89_999_999)
}

// Address returns a street with number, quarter and postal code.
func (c *Corpus) Address(n int) string {
	r := random(n, 2)
	return fmt.Sprintf("%s %s %s, %d, %s %s, CEP %05d-%03d",
		c.streets.pick(r), c.first.pick(r), c.last.pick(r), 1+r.IntN(2500),
		quarters[r.IntN(len(quarters))], c.last.pick(r), 1000+r.IntN(98_999), r.IntN(1000))
}

// Sentence returns a message of a customer: 4 to 20 words, sometimes with an order number, a price or an address.
func (c *Corpus) Sentence(n int) string {
	r := random(n, 3)
	words := make([]string, 4+r.IntN(17))
	for i := range words {
		words[i] = c.words.pick(r)
	}
	switch r.IntN(10) {
	case 0, 1:
		words = append(words, fmt.Sprintf("pedido %d", 100_000+r.IntN(900_000)))
	case 2:
		words = append(words, fmt.Sprintf("R$ %d,%02d", 5+r.IntN(2000), r.IntN(100)))
	case 3:
		words = append(words, c.Address(n))
	}
	text := strings.Join(words, " ")
	return strings.ToUpper(text[:1]) + text[1:] + []string{"", ".", "?", "!"}[r.IntN(4)]
}

// Title returns the title of a card: two to four words and a name.
func (c *Corpus) Title(n int) string {
	r := random(n, 4)
	words := []string{c.words.pick(r), c.words.pick(r)}
	for range r.IntN(3) {
		words = append(words, c.words.pick(r))
	}
	return strings.Join(words, " ") + " - " + c.Name(n)
}

// random returns a source that depends only on the number and the kind of text.
func random(n int, kind uint64) *rand.Rand { return rand.New(rand.NewPCG(uint64(n), kind)) }

// chooser picks entries of a list, the n-th with a weight of 1/(n+flatness), as in natural language.
type chooser struct {
	entries []string
	upTo    []float64 // cumulative weights
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
	i, _ := slices.BinarySearch(c.upTo, at)
	return c.entries[i]
}
