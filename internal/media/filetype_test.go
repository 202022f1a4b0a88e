package media_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"recado/internal/media"
)

const (
	office = "application/vnd.openxmlformats-officedocument."
	docx   = office + "wordprocessingml.document"
	xlsx   = office + "spreadsheetml.sheet"
	pptx   = office + "presentationml.presentation"
)

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		file, name string
		mime       string
		kind       media.Kind
	}{
		{jpegFile(), "photo.jpg", "image/jpeg", media.Image},
		{jpegFile(), "photo.exe", "image/jpeg", media.Image},
		{jpegFile(), "", "image/jpeg", media.Image},
		{pngFile(), "photo.png", "image/png", media.Image},
		{webpFile, "x.webp", "image/webp", media.Sticker},
		{webpFile, "x.png", "image/webp", media.Sticker},

		{"#!AMR\n\x3c\x91\x17", "voice.amr", "audio/amr", media.Audio},
		{"\xff\xf1\x50\x80\x02\x1f\xfc", "a.aac", "audio/aac", media.Audio},
		{"ID3\x04\x00\x00\x00\x00\x00\x0a" + strings.Repeat("\x00", 20) + "\xff\xfb\x90\x00", "a.mp3", "audio/mpeg", media.Audio},
		{"\xff\xfb\x90\x00" + strings.Repeat("\x00", 500), "a.mp3", "audio/mpeg", media.Audio},
		{"ID3\x03\x00\x00\x00\x07\x00\x00APIC" + strings.Repeat("\x01\x02cover", 2000), "a.mp3", "audio/mpeg", media.Audio},
		{"ID3\x03\x00\x00\x00\x00\x00\x00\xff\xfb\x90\x00" + strings.Repeat("\x00", 413), "a.mp3", "audio/mpeg", media.Audio},
		{oggFile("OpusHead\x01\x01"), "voice.ogg", "audio/ogg", media.Audio},
		{mp4File("M4A ", "soun"), "a.m4a", "audio/mp4", media.Audio},
		{mp4File("M4A ", ""), "", "audio/mp4", media.Audio},
		{mp4File("mp42", "soun"), "recording", "audio/mp4", media.Audio},
		{mp4File("isom", ""), "recording.m4a", "audio/mp4", media.Audio},

		{mp4File("isom", "soun", "vide"), "a.mp4", "video/mp4", media.Video},
		{mp4File("mp42", "vide"), "a.m4a", "video/mp4", media.Video},
		{mp4File("isom", ""), "a.mp4", "video/mp4", media.Video},
		{mp4File("MSNV", "vide", "soun"), "camera.mp4", "video/mp4", media.Video},
		{mp4File("M4V ", "vide"), "a.m4v", "video/mp4", media.Video},
		{mp4File("3gp5", "vide"), "a.3gp", "video/3gpp", media.Video},

		{"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", "a.pdf", "application/pdf", media.Document},
		{"\r\n%PDF-1.4\n", "a.pdf", "application/pdf", media.Document},
		{zipFile("[Content_Types].xml", "_rels/.rels", "word/document.xml"), "a.docx", docx, media.Document},
		{zipFile("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"), "a.xlsx", xlsx, media.Document},
		{zipFile("[Content_Types].xml", "docProps/app.xml", "ppt/presentation.xml"), "a.pptx", pptx, media.Document},
		{zipFile("word/numbering.xml", "word/document.xml"), "a", docx, media.Document},
		{deepZip("xl/workbook.xml"), "a.xlsx", xlsx, media.Document},
		{oleFile(0x06, 0x09, 0x02), "a.doc", "application/msword", media.Document},
		{oleFile(0x20, 0x08, 0x02), "a.doc", "application/vnd.ms-excel", media.Document},
		{oleFile(), "a.doc", "application/msword", media.Document},
		{oleFile(), "a.XLS", "application/vnd.ms-excel", media.Document},
		{oleFile(), "a.ppt", "application/vnd.ms-powerpoint", media.Document},

		{"Bom dia!", "a.txt", "text/plain", media.Document},
		{"Bom dia!", "recado", "text/plain", media.Document},
		{"Bom dia!", "Tabela v1.2", "text/plain", media.Document},
		{"\xef\xbb\xbfAção, reação", "a.TXT", "text/plain", media.Document},
		{"Endere\xe7o: S\xe3o Paulo, pra\xe7a da S\xe9", "a.txt", "text/plain", media.Document},
		{"Bom dia, Ana.\nTudo bem, Ana?\nSim, claro.\n", "a.txt", "text/plain", media.Document},
		{strings.Repeat("a", 8191) + "\xc3", "a.txt", "text/plain", media.Document},
		{"2 < 3 and <3 you", "a.txt", "text/plain", media.Document},
	} {
		mime, kind, ok := media.Detect([]byte(test.file), test.name)
		if mime != test.mime || kind != test.kind || !ok {
			t.Errorf("%q named %q is %s, %s, %v; want %s, %s", head(test.file), test.name, mime, kind, ok, test.mime, test.kind)
		}
	}
}

func TestDetectRejects(t *testing.T) {
	const frame = "\xff\xfb\x90\x00"
	for _, test := range []struct{ what, file, name string }{
		{"nothing", "", "a.txt"},
		{"a page", "<!DOCTYPE html><html><script>alert(1)</script>", "a.html"},
		{"a page named like a text", "<!DOCTYPE html><html><script>alert(1)</script>", "a.txt"},
		{"a page after white space and a byte order mark", "\xef\xbb\xbf \r\n\t<HTML><body onload=alert(1)>", "a.txt"},
		{"a page that starts with a custom tag", "<x onclick=alert(1)>", "a.txt"},
		{"a page after a comment", "<!-- hello --><script>alert(1)</script>", "a.txt"},
		{"a page in UTF-16", "\xff\xfe<\x00s\x00c\x00r\x00i\x00p\x00t\x00>\x00", "a.txt"},
		{"a page in UTF-16, other order", "\xfe\xff\x00<\x00s\x00c\x00r\x00i\x00p\x00t\x00>", "a.txt"},
		{"a page named like a picture", "<html>", "a.png"},
		{"a page with a PDF signature", "<script>alert(1)</script>%PDF-1.4", "a.pdf"},
		{"a drawing", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, "a.svg"},
		{"a drawing after a declaration", `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`, "a.png"},
		{"XML", `<?xml version="1.0"?><a/>`, "a.txt"},
		{"PHP", "<?php system($_GET['x']); ?>", "a.txt"},
		{"a table", "a,b,c\n1,2,3\n4,5,6\n", "a.csv"},
		{"a table without a name", "a,b,c\n1,2,3\n4,5,6\n", ""},
		{"JSON", `{"a": 1}`, "a.txt"},
		{"a script", "#!/bin/sh\nrm -rf /\n", "a.txt"},
		{"JavaScript", "alert(1)", "a.js"},
		{"a batch file", "@echo off\r\ndel *.*\r\n", "a.bat"},
		{"PowerShell", "Remove-Item -Recurse C:", "a.ps1"},
		{"Visual Basic", "MsgBox \"x\"", "a.vbs"},
		{"a registry file", "REGEDIT4\r\n", "a.reg"},
		{"RTF", `{\rtf1\ansi x}`, "a.doc"},
		{"a Windows program", "MZ\x90\x00\x03\x00\x00\x00\x04" + strings.Repeat("\x00", 100), "a.jpg"},
		{"a Linux program", "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 100), "a.pdf"},
		{"a Mac program", "\xcf\xfa\xed\xfe\x07\x00\x00\x01" + strings.Repeat("\x00", 100), "a.pdf"},
		{"a shortcut", "L\x00\x00\x00\x01\x14\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00F", "a.pdf"},
		{"WebAssembly", "\x00asm\x01\x00\x00\x00", "a.mp4"},
		{"a Java archive", zipFile("META-INF/MANIFEST.MF", "word/document.xml"), "a.docx"},
		{"an archive", zipFile("evil.exe"), "a.docx"},
		{"an archive that mentions Word later", zipFile("evil.exe", "word/document.xml"), "a.docx"},
		{"an empty archive", "PK\x05\x06" + strings.Repeat("\x00", 18), "a.docx"},
		{"an archive cut inside a name", "PK\x03\x04" + strings.Repeat("\x00", 22) + "\xff\xff\x00\x00word/", "a.docx"},
		{"an old container without a name", oleFile(), "a"},
		{"an old container that is an installer", oleFile(), "a.msi"},
		{"GIF", gifFile(), "a.gif"},
		{"HEIC", mp4File("heic"), "a.jpg"},
		{"QuickTime", mp4File("qt  ", "vide"), "a.mp4"},
		{"WebM", "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm", "a.mp4"},
		{"Ogg Vorbis", oggFile("\x01vorbis\x00\x00"), "a.ogg"},
		{"Ogg Theora", oggFile("\x80theora\x00\x00"), "a.ogg"},
		{"sound after other bytes", strings.Repeat("\x00\x01evil", 20) + frame + strings.Repeat("\x00", 413) + frame, "a.mp3"},
		{"noise", "\x00\x01\x02\x03\x04\x05\x06\x07", "a.txt"},
		{"noise without control characters", "\x80\x91\xa2\xb3\xc4\xd5\xe6\xf7\x81\x92", "a.txt"},
		{"text with a NUL late in it", strings.Repeat("a", 5000) + "\x00", "a.txt"},
	} {
		if mime, kind, ok := media.Detect([]byte(test.file), test.name); ok || kind != media.Document || mime == "" {
			t.Errorf("%s was accepted as %s, %s", test.what, mime, kind)
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, file := range []string{
		jpegFile(), webpFile, oleFile(), zipFile("word/a"), mp4File("isom", "vide"), oggFile("OpusHead"), "%PDF-", "<html>",
	} {
		f.Add([]byte(file), "a.txt")
	}
	f.Fuzz(func(t *testing.T, file []byte, name string) {
		mime, kind, ok := media.Detect(file, name)
		if mime == "" || kind == "" {
			t.Fatalf("got type %q and kind %q, want both", mime, kind)
		}
		if mime == "text/plain" && ok && bytes.HasPrefix(bytes.TrimSpace(bytes.ToLower(file)), []byte("<script")) {
			t.Fatal("a script was accepted as text")
		}
		safe := media.SafeName(name, mime)
		if safe == "" || len(safe) > 255 || !utf8.ValidString(safe) ||
			strings.ContainsAny(safe, "/\\\x00\r\n\"") || strings.HasPrefix(safe, ".") {
			t.Fatalf("%q became %q", name, safe)
		}
		if again := media.SafeName(safe, mime); again != safe {
			t.Fatalf("%q became %q and then %q", name, safe, again)
		}
	})
}

func TestSafeName(t *testing.T) {
	const pdf = "application/pdf"
	for _, test := range []struct{ name, mime, want string }{
		{"Contrato 2026.pdf", pdf, "Contrato 2026.pdf"},
		{"orçamento – João.PDF", pdf, "orçamento – João.PDF"},
		{"foto.jpeg", "image/jpeg", "foto.jpeg"},
		{"../../etc/passwd", pdf, "passwd.pdf"},
		{`C:\Users\ana\nota.pdf`, pdf, "nota.pdf"},
		{"a/b\\c.pdf", pdf, "c.pdf"},
		{"..", pdf, "document.pdf"},
		{"", pdf, "document.pdf"},
		{"   ", "image/png", "image.png"},
		{"\u202e\u200b", "audio/ogg", "audio.ogg"},
		{"", "application/x-unknown", "file"},
		{"invoice\u202efdp.exe", pdf, "invoicefdp.exe.pdf"},
		{"a\u0000\r\n\tb\u007f\u0085.pdf", pdf, "ab.pdf"},
		{"a\u2028b\u2066c\ufeff.pdf", pdf, "abc.pdf"},
		{`a"b<c>d|e?f*g:h.pdf`, pdf, "a_b_c_d_e_f_g_h.pdf"},
		{".htaccess", "text/plain", "htaccess.txt"},
		{"evil.hta", pdf, "evil.hta.pdf"},
		{"macro.docm", docx, "macro.docm.docx"},
		{"report", xlsx, "report.xlsx"},
		{"trailing.pdf. .", pdf, "trailing.pdf"},
		{"NUL", pdf, "_NUL.pdf"},
		{"com1.pdf", pdf, "_com1.pdf"},
		{"console.pdf", pdf, "console.pdf"},
		{"bad\xff\xfeutf8.pdf", pdf, "badutf8.pdf"},
		{"archive.tar.gz", "application/gzip", "archive.tar.gz"},
		{"não\u00a0quebra.pdf", pdf, "não quebra.pdf"},
		{strings.Repeat("a", 300) + ".pdf", pdf, strings.Repeat("a", 251) + ".pdf"},
		{strings.Repeat("ã", 200) + ".pdf", pdf, strings.Repeat("ã", 125) + ".pdf"},
		{"a." + strings.Repeat("x", 300), "application/x-unknown", "a." + strings.Repeat("x", 253)},
	} {
		if got := media.SafeName(test.name, test.mime); got != test.want {
			t.Errorf("SafeName(%q, %s) = %q, want %q", test.name, test.mime, got, test.want)
		}
	}
}

var webpFile = "RIFF\x24\x00\x00\x00WEBPVP8 \x18\x00\x00\x00" + strings.Repeat("\x00", 24)

func picture() image.Image {
	img := image.NewRGBA(image.Rect(0, 0, 4, 4))
	img.Set(1, 1, color.RGBA{R: 200, A: 255})
	return img
}

func encoded(encode func(w io.Writer, m image.Image) error) string {
	var b bytes.Buffer
	_ = encode(&b, picture())
	return b.String()
}

func jpegFile() string {
	return encoded(func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) })
}

func pngFile() string { return encoded(png.Encode) }

func gifFile() string {
	return encoded(func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) })
}

func oggFile(codec string) string {
	return "OggS\x00\x02" + strings.Repeat("\x00", 22) + codec + strings.Repeat("\x00", 20)
}

// mp4File returns a file with a brand and one track for each handler.
func mp4File(brand string, handlers ...string) string {
	tracks := ""
	for _, h := range handlers {
		if h != "" {
			tracks += box("trak", box("mdia", box("hdlr", "\x00\x00\x00\x00\x00\x00\x00\x00"+h+strings.Repeat("\x00", 13))))
		}
	}
	return box("ftyp", brand+"\x00\x00\x02\x00"+brand) + box("moov", tracks) + box("mdat", "data")
}

func box(name, content string) string {
	size := binary.BigEndian.AppendUint32(nil, uint32(8+len(content)))
	return string(size) + name + content
}

func zipFile(names ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		f, _ := w.Create(name)
		_, _ = f.Write([]byte("content of " + name))
	}
	_ = w.Close()
	return b.String()
}

// deepZip returns an archive whose distinguishing name is beyond the first 4 KiB.
func deepZip(name string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, _ := w.CreateHeader(&zip.FileHeader{Name: "[Content_Types].xml", Method: zip.Store})
	_, _ = f.Write(bytes.Repeat([]byte("x"), 5000))
	_, _ = w.Create(name)
	_ = w.Close()
	return b.String()
}

// oleFile returns a container of the old Office formats with a class id in its root.
func oleFile(class ...byte) string {
	b := make([]byte, 2048)
	copy(b, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	binary.LittleEndian.PutUint16(b[26:], 3)
	binary.LittleEndian.PutUint16(b[28:], 0xfffe)
	binary.LittleEndian.PutUint16(b[30:], 9)
	binary.LittleEndian.PutUint32(b[48:], 1)
	if len(class) > 0 {
		copy(b[1024+80:], class)
		b[1024+88], b[1024+95] = 0xc0, 0x46
	}
	return string(b)
}

func head(s string) string { return s[:min(len(s), 40)] }
