/** Notice is what a push notification shows. */
export type Notice = {
  conversation: string | null
  title: string
  text: string
}

/** What is shown for a push without a readable payload. */
const unknown: Record<string, string> = {
  pt: 'Você tem uma nova notificação.',
  en: 'You have a new notification.',
  es: 'Tienes una notificación nueva.',
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** noticeOf reads the payload of a push. Every push results in a notice with a title. */
export function noticeOf(payload: string, language: string): Notice {
  let fields: Record<string, unknown> = {}
  try {
    fields = Object(JSON.parse(payload)) as Record<string, unknown>
  } catch {
    // shown as a notification without details
  }
  const conversation = text(fields.conversation)
  const title = text(fields.title)
  return {
    conversation: /^[0-9a-f-]{36}$/.test(conversation) ? conversation : null,
    title: title || 'Recado',
    text: title
      ? text(fields.text)
      : (unknown[language.slice(0, 2)] ?? unknown.pt ?? ''),
  }
}
