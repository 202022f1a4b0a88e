package admin

import (
	"bytes"
	_ "embed" // the voice
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
)

// Pictures from customers.
const (
	pictureCake    = "bolo.jpg"
	pictureBread   = "pao.jpg"
	pictureReceipt = "comprovante.jpg"
	pictureBox     = "caixa.jpg"

	pictureWhiteCake  = "bolo-branco.jpg"
	pictureDripCake   = "bolo-de-chocolate.jpg"
	pictureNakedCake  = "bolo-de-morango.jpg"
	picturePastelCake = "bolo-colorido.jpg"
)

var (
	cream     = color.RGBA{250, 243, 231, 255}
	wood      = color.RGBA{196, 154, 108, 255}
	chocolate = color.RGBA{92, 58, 38, 255}
	berry     = color.RGBA{196, 48, 72, 255}
	crust     = color.RGBA{214, 160, 92, 255}
	paper     = color.RGBA{252, 252, 250, 255}
	ink       = color.RGBA{70, 76, 80, 255}
	cardboard = color.RGBA{205, 170, 125, 255}
	tape      = color.RGBA{170, 132, 88, 255}
)

// picture draws a picture and returns a JPEG file.
func picture(name string) []byte {
	c := newCanvas(960, 720, cream, wood)
	switch name {
	case pictureCake:
		c.ellipse(480, 560, 360, 70, color.RGBA{235, 235, 235, 255})
		c.box(230, 330, 730, 560, chocolate)
		c.ellipse(480, 330, 250, 60, color.RGBA{112, 72, 48, 255})
		for i := range 9 {
			a := float64(i) * 2 * math.Pi / 9
			c.ellipse(480+int(190*math.Cos(a)), 330+int(42*math.Sin(a)), 26, 24, berry)
		}
	case pictureBread:
		for i := range 4 {
			c.ellipse(240+i*160, 420+(i%2)*60, 130, 70, crust)
			c.ellipse(240+i*160, 405+(i%2)*60, 80, 12, cream)
		}
	case pictureReceipt:
		c.box(300, 60, 660, 660, paper)
		for i := range 12 {
			c.box(340, 120+i*40, 340+200+(i*53)%90, 132+i*40, ink)
			c.box(580, 120+i*40, 625, 132+i*40, ink)
		}
	case pictureBox:
		c.box(250, 260, 710, 580, cardboard)
		c.box(455, 260, 505, 580, tape)
		c.box(620, 480, 700, 570, color.RGBA{150, 110, 70, 255}) // the dented corner
	}
	if look, ok := cakes[name]; ok {
		c = newCanvas(800, 800, look.top, look.bottom)
		c.cake(look)
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, c, &jpeg.Options{Quality: 82}) // writing to memory cannot fail
	return b.Bytes()
}

// cake describes a picture of a cake with tiers.
type cake struct {
	top, bottom   color.RGBA // of the background
	tiers         int
	body, icing   color.RGBA
	layers, drips bool
	toppings      []color.RGBA
}

var cakes = map[string]cake{
	pictureWhiteCake: {
		top: color.RGBA{214, 226, 235, 255}, bottom: color.RGBA{170, 186, 199, 255}, tiers: 3, body: color.RGBA{250, 247, 242, 255}, icing: paper,
		toppings: []color.RGBA{{232, 160, 176, 255}, {126, 168, 120, 255}},
	},
	pictureDripCake: {
		top: color.RGBA{244, 222, 196, 255}, bottom: color.RGBA{206, 150, 104, 255}, tiers: 1, body: color.RGBA{150, 98, 62, 255}, icing: chocolate,
		drips: true, toppings: []color.RGBA{{120, 78, 52, 255}, {232, 196, 120, 255}},
	},
	pictureNakedCake: {
		top: color.RGBA{252, 236, 232, 255}, bottom: color.RGBA{232, 186, 176, 255}, tiers: 2, body: color.RGBA{232, 196, 140, 255}, icing: cream,
		layers: true, toppings: []color.RGBA{berry, berry, {90, 140, 80, 255}},
	},
	picturePastelCake: {
		top: color.RGBA{226, 240, 250, 255}, bottom: color.RGBA{186, 204, 240, 255}, tiers: 2, body: color.RGBA{246, 190, 214, 255}, icing: color.RGBA{170, 214, 236, 255},
		drips: true, toppings: []color.RGBA{{255, 224, 120, 255}, {190, 160, 230, 255}, {150, 220, 190, 255}},
	},
}

func (c canvas) cake(look cake) {
	c.ellipse(400, 690, 330, 50, color.RGBA{120, 100, 90, 255})
	c.ellipse(400, 676, 330, 50, paper)
	height := 420 / (look.tiers + 1)
	bottom := 670
	for tier := range look.tiers {
		half := 250 - tier*80
		if look.tiers == 1 {
			height = 280
		}
		top, curve := bottom-height, half/6
		c.ellipse(400, bottom, half, curve, look.body)
		c.box(400-half, top, 400+half, bottom, look.body)
		if look.layers {
			for i := range 3 {
				c.box(400-half, top+20+i*height/3, 400+half, top+32+i*height/3, look.icing)
			}
		}
		c.ellipse(400, top, half, curve, look.icing)
		if look.drips {
			for i := range 2 * half / 40 {
				x := 400 - half + 20 + i*40
				length := 30 + (i*37)%60
				c.box(x-12, top, x+12, top+length, look.icing)
				c.ellipse(x, top+length, 12, 12, look.icing)
			}
		}
		for i := range 10 {
			a := float64(i) * 2 * math.Pi / 10
			c.ellipse(400+int(float64(half-24)*math.Cos(a)), top+int(float64(curve-6)*math.Sin(a))-8, 17, 17, look.toppings[i%len(look.toppings)])
		}
		bottom = top + 4
	}
}

// canvas is a picture with a vertical gradient.
type canvas struct{ *image.RGBA }

func newCanvas(width, height int, top, bottom color.RGBA) canvas {
	c := canvas{image.NewRGBA(image.Rect(0, 0, width, height))}
	for y := range height {
		mix := func(a, b uint8) uint8 { return uint8((int(a)*(height-y) + int(b)*y) / height) }
		row := color.RGBA{mix(top.R, bottom.R), mix(top.G, bottom.G), mix(top.B, bottom.B), 255}
		for x := range width {
			c.SetRGBA(x, y, row)
		}
	}
	return c
}

func (c canvas) box(x0, y0, x1, y1 int, fill color.RGBA) {
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			c.SetRGBA(x, y, fill)
		}
	}
}

func (c canvas) ellipse(cx, cy, rx, ry int, fill color.RGBA) {
	for y := -ry; y <= ry; y++ {
		half := int(float64(rx) * math.Sqrt(1-float64(y*y)/float64(ry*ry)))
		c.box(cx-half, cy+y, cx+half, cy+y+1, fill)
	}
}

// murmur is a synthesized voice: Opus packets of 20 ms, each after a byte with its length.
//
//go:embed voice.packets
var murmur []byte

// voice returns a voice message of the given length as an Ogg Opus file. It repeats the murmur.
func voice(seconds int) []byte {
	const perSecond, samples, skip = 50, 960, 312 // frames of 20 ms at 48 kHz
	var frames [][]byte
	for rest := murmur; len(rest) > 0; rest = rest[1+rest[0]:] {
		frames = append(frames, rest[1:1+rest[0]])
	}
	head := append([]byte("OpusHead\x01\x01"), binary.LittleEndian.AppendUint16(nil, skip)...)
	head = append(binary.LittleEndian.AppendUint32(head, 48_000), 0, 0, 0)
	tags := append([]byte("OpusTags"), binary.LittleEndian.AppendUint32(nil, 6)...)
	tags = append(binary.LittleEndian.AppendUint32(append(tags, "recado"...), 0), nil...)

	var out bytes.Buffer
	page := 0
	write := func(flags byte, position int, packets ...[]byte) {
		out.Write(oggPage(flags, position, page, packets))
		page++
	}
	write(2, 0, head)
	write(0, 0, tags)
	for second := range seconds {
		packets := make([][]byte, perSecond)
		for i := range packets {
			packets[i] = frames[((second+seconds)*perSecond+i)%len(frames)] // recordings of different lengths begin differently
		}
		flags := byte(0)
		if second == seconds-1 {
			flags = 4
		}
		write(flags, (second+1)*perSecond*samples+skip, packets...)
	}
	return out.Bytes()
}

// oggPage returns a page of a stream. Every packet must be shorter than 255 bytes.
func oggPage(flags byte, position, number int, packets [][]byte) []byte {
	b := append([]byte("OggS\x00"), flags)
	b = binary.LittleEndian.AppendUint64(b, uint64(position))
	b = binary.LittleEndian.AppendUint32(b, 0x52454341)
	b = binary.LittleEndian.AppendUint32(b, uint32(number))
	b = append(b, 0, 0, 0, 0, byte(len(packets)))
	for _, p := range packets {
		b = append(b, byte(len(p)))
	}
	for _, p := range packets {
		b = append(b, p...)
	}
	binary.LittleEndian.PutUint32(b[22:], oggChecksum(b))
	return b
}

// oggChecksum computes the CRC-32 of Ogg: the Ethernet polynomial, most significant bit first, without inversion.
func oggChecksum(b []byte) (sum uint32) {
	for _, c := range b {
		sum ^= uint32(c) << 24
		for range 8 {
			if sum&0x80000000 != 0 {
				sum = sum<<1 ^ 0x04c11db7
			} else {
				sum <<= 1
			}
		}
	}
	return sum
}

// document returns a PDF file with a page of text.
func document(lines ...string) []byte {
	var text bytes.Buffer
	text.WriteString("BT /F1 16 Tf 72 760 Td 22 TL\n")
	for _, line := range lines {
		fmt.Fprintf(&text, "(%s) Tj T*\n", line)
	}
	text.WriteString("ET")
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", text.Len(), text.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return out.Bytes()
}
