/** WhatsApp's limit on captions, in characters. */
export const longestCaption = 1024

type Captioned = { caption: string; type: string }

/** hasCaption reports whether WhatsApp shows a caption with a file type: not with audio files and stickers. */
export const hasCaption = ({ type }: { type: string }) =>
  type !== 'image/webp' && !type.startsWith('audio/')

/** captioned returns the file whose caption is the composer's text: the last one that can have a caption, unless it has its own. */
export function captioned<File extends Captioned>(
  files: File[],
): File | undefined {
  const last = files.findLast(hasCaption)
  return last?.caption.trim() ? undefined : last
}

/** signed puts a name in front of a text, once; an empty text stays empty. */
function signed(text: string, name: string): string {
  const first = `*${name}:*`
  return text === '' || text.startsWith(first) ? text : `${first}\n${text}`
}

/**
 * written returns the composer's content as it is sent: its text is a file's caption if it fits, otherwise a message of its own. If the
 * user signs messages, texts and captions start with the name, except captions that would get too long.
 */
export function written<File extends Captioned>(
  text: string,
  files: File[],
  name: string | null,
): { text: string; files: File[] } {
  const sent = (one: string) =>
    name === null ? one.trim() : signed(one.trim(), name)
  const target =
    text.trim().length <= longestCaption ? captioned(files) : undefined
  return {
    text: target ? '' : sent(text),
    files: files.map((file) => {
      const caption = (file === target ? text : file.caption).trim()
      return {
        ...file,
        caption:
          [sent(caption), caption].find(
            (one) => one.length <= longestCaption,
          ) ?? '',
      }
    }),
  }
}
