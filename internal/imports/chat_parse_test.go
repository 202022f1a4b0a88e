package imports

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// readAll returns the entries of a chat, one per line.
func readAll(t *testing.T, chat, order string) string {
	t.Helper()
	r := newChatReader(strings.NewReader(chat))
	var out []string
	for {
		e, err := r.next()
		if err == io.EOF {
			return strings.Join(out, "\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		at, _ := e.stamp.in(order, time.UTC)
		text := fmt.Sprintf("%d %s %s: %q", e.line, at.Format("2006-01-02 15:04:05"), e.sender, e.text)
		switch {
		case e.kind == entryUnknown:
			text = fmt.Sprintf("%d unknown: %q", e.line, e.text)
		case e.kind == entryNotice:
			text = fmt.Sprintf("%d notice", e.line)
		case e.kind == entryGroup:
			text = fmt.Sprintf("%d group", e.line)
		case e.kind == entryDeleted:
			text = fmt.Sprintf("%d deleted by %s", e.line, e.sender)
		case e.file != "":
			text += " file " + e.file
		case e.omitted != "":
			text += " without " + e.omitted
		}
		out = append(out, text)
	}
}

func TestChatsOfEveryPhoneAndLanguageAreRead(t *testing.T) {
	for _, tt := range []struct{ name, chat, order, want string }{
		{
			"Android, Portuguese", "12/03/2024 14:05 - As mensagens e as ligações são protegidas com a criptografia de ponta a ponta. Saiba mais.\n12/03/2024 14:05 - Ana Lima: Oi!\nTudo bem?\n\nAté: já\n12/03/2024 14:06 - Loja: Tudo", orderDMY,
			"1 notice\n2 2024-03-12 14:05:00 Ana Lima: \"Oi!\\nTudo bem?\\n\\nAté: já\"\n6 2024-03-12 14:06:00 Loja: \"Tudo\"",
		},
		{
			"iPhone, Portuguese", "\ufeff[12/03/24, 14:05:06] Ana: \u200eAs mensagens e ligações são protegidas com a criptografia de ponta a ponta.\r\n[12/03/24, 14:05:07] Ana: Oi\r\nde novo\r\n\u200e[12/03/24, 14:05:09] Loja: \u200e<anexado: 00000003-PHOTO-2024-03-12-14-05-09.jpg>\r\n", orderDMY,
			"1 notice\n2 2024-03-12 14:05:07 Ana: \"Oi\\nde novo\"\n4 2024-03-12 14:05:09 Loja: \"\" file 00000003-PHOTO-2024-03-12-14-05-09.jpg",
		},
		{
			"Android, English, 12 hours", "3/12/24, 2:05\u202fPM - Messages and calls are end-to-end encrypted. No one outside of this chat, not even WhatsApp, can read or listen to them. Tap to learn more.\n3/12/24, 12:05\u202fAM - Ana: Hi\n3/12/24, 12:06\u202fPM - Shop: Hello: world", orderMDY,
			"1 notice\n2 2024-03-12 00:05:00 Ana: \"Hi\"\n3 2024-03-12 12:06:00 Shop: \"Hello: world\"",
		},
		{
			"iPhone, English, 12 hours", "[3/12/24, 2:05:06\u202fPM] Ana: Hi\n\u200e[3/12/24, 2:05:07\u202fPM] Ana: \u200eimage omitted\n[3/12/24, 2:05:08\u202fPM] Ana: \u200eMissed voice call. \u200eTap to call back", orderMDY,
			"1 2024-03-12 14:05:06 Ana: \"Hi\"\n2 2024-03-12 14:05:07 Ana: \"\" without image\n3 notice",
		},
		{
			"Android, Spanish", "12/3/24, 2:05\u00a0p.\u00a0m. - Los mensajes y las llamadas están cifrados de extremo a extremo.\n12/3/24, 2:05\u202fp.\u00a0m. - Ana: Hola\n12/3/24, 2:06 a. m. - Tienda: <Multimedia omitido>\n", orderDMY,
			"1 notice\n2 2024-03-12 14:05:00 Ana: \"Hola\"\n3 2024-03-12 02:06:00 Tienda: \"\" without document",
		},
		{
			"iPhone, Spanish", "[12/3/24, 14:05:06] Ana: \u200eLos mensajes y las llamadas están cifrados de extremo a extremo.\n[12/3/24 2:05:06 p. m.] Ana: \u200e<adjunto: 00000002-AUDIO.opus>\n", orderDMY,
			"1 notice\n2 2024-03-12 14:05:06 Ana: \"\" file 00000002-AUDIO.opus",
		},
		{"dots", "12.03.24, 14:05 - Ana: Hi", orderDMY, "1 2024-03-12 14:05:00 Ana: \"Hi\""},
		{"dashes, year first", "2024-03-12 14:05 - Ana: Hi\n[2024-03-12, 2:05:06 p.m.] Ana: Hi", orderYMD, "1 2024-03-12 14:05:00 Ana: \"Hi\"\n2 2024-03-12 14:05:06 Ana: \"Hi\""},
		{"dashes, day first", "12-03-2024 14:05 - Ana: Hi", orderDMY, "1 2024-03-12 14:05:00 Ana: \"Hi\""},
		{"old iPhones", "12/03/17 14:05:06: Ana: Oi", orderDMY, "1 2017-03-12 14:05:06 Ana: \"Oi\""},
		{"a number instead of a name", "12/03/2024 14:05 - \u202a+55 11 98765-0001\u202c: Oi", orderDMY, "1 2024-03-12 14:05:00 +55 11 98765-0001: \"Oi\""},
		{
			"files of Android", "12/03/2024 14:05 - Ana: \u200eIMG-20240312-WA0001.jpg (arquivo anexado)\nolha\nisso\n12/03/2024 14:05 - Ana: nota (1).pdf (file attached)\n12/03/2024 14:05 - Ana: PTT-1.opus (archivo adjunto)", orderDMY,
			"1 2024-03-12 14:05:00 Ana: \"olha\\nisso\" file IMG-20240312-WA0001.jpg\n4 2024-03-12 14:05:00 Ana: \"\" file nota (1).pdf\n5 2024-03-12 14:05:00 Ana: \"\" file PTT-1.opus",
		},
		{
			"a file with a caption on an iPhone", "[12/03/24, 14:05:06] Ana: Contrato.pdf • \u200e3 páginas \u200e<anexado: 00000004-Contrato.pdf>\n[12/03/24, 14:05:07] Ana: veja \u200evídeo omitido", orderDMY,
			"1 2024-03-12 14:05:06 Ana: \"Contrato.pdf • \\u200e3 páginas\" file 00000004-Contrato.pdf\n2 2024-03-12 14:05:07 Ana: \"veja\" without video",
		},
		{
			"left out files", "12/03/2024 14:05 - Ana: <Mídia oculta>\nlegenda\n12/03/2024 14:05 - Ana: <Media omitted>\n[12/03/24, 14:05:06] Ana: \u200efigurinha omitida\n[12/03/24, 14:05:06] Ana: \u200eaudio omitido", orderDMY,
			"1 2024-03-12 14:05:00 Ana: \"legenda\" without document\n3 2024-03-12 14:05:00 Ana: \"\" without document\n4 2024-03-12 14:05:06 Ana: \"\" without sticker\n5 2024-03-12 14:05:06 Ana: \"\" without audio",
		},
		{
			"deleted", "12/03/2024 14:05 - Ana: Mensagem apagada\n12/03/2024 14:05 - Loja: Você apagou esta mensagem\n[12/03/24, 14:05:06] A: \u200eThis message was deleted.\n[12/03/24, 14:05:06] A: \u200eSe eliminó este mensaje.", orderDMY,
			"1 deleted by Ana\n2 deleted by Loja\n3 deleted by A\n4 deleted by A",
		},
		{
			"edited", "12/03/2024 14:05 - Ana: Oi <Mensagem editada>\n[12/03/24, 14:05:06] Ana: Hi \u200e<This message was edited>\n12/3/24, 14:05 - Ana: Hola <Se editó este mensaje.>", orderDMY,
			"1 2024-03-12 14:05:00 Ana: \"Oi\"\n2 2024-03-12 14:05:06 Ana: \"Hi\"\n3 2024-03-12 14:05:00 Ana: \"Hola\"",
		},
		{
			"calls and notices", "12/03/2024 14:05 - Ana: Chamada de voz perdida\n12/03/2024 14:05 - Ana: null\n12/03/2024 14:05 - Ana: \n12/03/2024 14:05 - Seu código de segurança com Ana mudou. Toque para saber mais.\n[12/03/24, 14:05:06] Ana: \u200eLigação de vídeo. \u200e3 min", orderDMY,
			"1 notice\n2 notice\n3 notice\n4 notice\n5 notice",
		},
		{
			"people who talk about calls", "12/03/2024 14:05 - Ana: videollamada\n12/03/2024 14:05 - Ana: I turned off the voice call\n12/03/2024 14:05 - Ana: added you", orderDMY,
			"1 2024-03-12 14:05:00 Ana: \"videollamada\"\n2 2024-03-12 14:05:00 Ana: \"I turned off the voice call\"\n3 2024-03-12 14:05:00 Ana: \"added you\"",
		},
		{"a group", "12/03/2024 14:05 - Ana criou o grupo \"Família\"\n12/03/2024 14:05 - Ana: oi", orderDMY, "1 group\n2 2024-03-12 14:05:00 Ana: \"oi\""},
		{"lines before the first message", "\n\nwhat is this\n12/03/2024 14:05 - Ana: oi", orderDMY, "3 unknown: \"what is this\"\n4 2024-03-12 14:05:00 Ana: \"oi\""},
		{
			"impossible times are text", "12/03/2024 14:05 - Ana: oi\n12/03/2024 25:00 - Ana: x\n12/03/2024 13:00 PM - Ana: x", orderDMY,
			"1 2024-03-12 14:05:00 Ana: \"oi\\n12/03/2024 25:00 - Ana: x\\n12/03/2024 13:00 PM - Ana: x\"",
		},
		{"nothing", "", orderDMY, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := readAll(t, tt.chat, tt.order); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestALongMessageOfAChatIsCut(t *testing.T) {
	chat := "12/03/2024 14:05 - Ana: " + strings.Repeat("x", maxChatText+1) + "\n12/03/2024 14:05 - Ana: " + strings.Repeat("x\n", maxChatText) + "12/03/2024 14:06 - Ana: ok"
	r := newChatReader(strings.NewReader(chat))
	for _, long := range []bool{true, true, false} {
		if e, err := r.next(); err != nil || e.long != long || len(e.text) > maxChatText+1024 {
			t.Errorf("line %d: long is %v with %d bytes, %v", e.line, e.long, len(e.text), err)
		}
	}
}

func FuzzChatReader(f *testing.F) {
	f.Add("12/03/2024 14:05 - Ana: Oi\nx\n[12/03/24, 2:05:06\u202fPM] B: \u200e<attached: a.jpg>\r\n")
	f.Add("2024-3-1 1:05 a. m. - x")
	f.Fuzz(func(t *testing.T, chat string) {
		r := newChatReader(strings.NewReader(chat))
		last := 0
		for {
			e, err := r.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if e.line <= last || e.line > strings.Count(chat, "\n")+1 {
				t.Fatalf("an entry begins at line %d after one at line %d", e.line, last)
			}
			if last = e.line; e.isMessage() && e.kind == entryMessage && e.text == "" && !e.hasFile() {
				t.Fatalf("the message at line %d is empty", e.line)
			}
		}
	})
}
