package admin

import (
	"bytes"
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
	var b bytes.Buffer
	_ = jpeg.Encode(&b, c, &jpeg.Options{Quality: 82}) // writing to memory cannot fail
	return b.Bytes()
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
