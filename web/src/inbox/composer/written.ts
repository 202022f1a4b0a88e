/** WhatsApp's limit on captions, in characters. */
export const longestCaption = 1024

/** signed puts a name in front of a text, once; an empty text stays empty. */
function signed(text: string, name: string): string {
  const first = `*${name}:*`
  return text === '' || text.startsWith(first) ? text : `${first}\n${text}`
}

/** written returns the composer's content as it is sent. If the user signs messages, texts and captions start with the name, except captions that would get too long. */
export function written<File extends { caption: string }>(
  text: string,
  files: File[],
  name: string | null,
): { text: string; files: File[] } {
  const sent = (one: string) =>
    name === null ? one.trim() : signed(one.trim(), name)
  return {
    text: sent(text),
    files: files.map((file) => ({
      ...file,
      caption:
        [sent(file.caption), file.caption.trim()].find(
          (one) => one.length <= longestCaption,
        ) ?? '',
    })),
  }
}
