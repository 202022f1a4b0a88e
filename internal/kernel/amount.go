package kernel

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Amount is an amount of money in millionths of a unit of its currency. In JSON it is a number in units.
type Amount int64

const amountUnit = 1_000_000

// MaxAmount is the greatest amount in a request, in units.
const MaxAmount = 1_000_000_000

// MarshalJSONTo writes the amount in units.
func (a Amount) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteToken(jsontext.Float(a.Units()))
}

// UnmarshalJSON parses an amount in units.
func (a *Amount) UnmarshalJSON(data []byte) error {
	units, err := strconv.ParseFloat(string(data), 64)
	*a = Amount(math.Round(units * amountUnit))
	return err
}

// Units returns the amount in units of the currency.
func (a Amount) Units() float64 { return float64(a) / amountUnit }

// ParseAmount converts an amount in units. field is its name in the request. Amounts that are negative, too great or have more than
// six decimals are invalid.
func ParseAmount(field string, units float64) (Amount, *Error) {
	if !(units >= 0 && units <= MaxAmount) {
		return 0, Between(field, 0, MaxAmount)
	}
	a := Amount(math.Round(units * amountUnit))
	if a.Units() != units {
		return 0, Malformed(field, "amount")
	}
	return a, nil
}
