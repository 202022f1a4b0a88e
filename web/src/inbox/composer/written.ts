/** WhatsApp takes so long a caption. */
export const longestCaption = 1024

/** signed puts the name of a person in front of a text, once; an empty text stays empty. */
function signed(text: string, name: string): string {
  const first = `*${name}:*`
  return text === '' || text.startsWith(first) ? text : `${first}\n${text}`
}

/** written is what stands in the composer as it is sent. Where the person signs messages, with a name, texts and captions are, except a caption that would be too long then. */
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
