import { Suspense } from 'react'
import type {
  Conversation,
  InteractiveBody,
  ScheduledContent,
  SendBody,
} from '../../api/types'
import { withTexts } from '../../ui/i18n'
import { part } from '../../ui/parts'

const ButtonsDialog = part(() =>
  withTexts('composer', import('./ButtonsDialog')).then(
    (loaded) => loaded.ButtonsDialog,
  ),
)
const LaterDialog = part(() =>
  withTexts('composer', import('./LaterDialog')).then(
    (loaded) => loaded.LaterDialog,
  ),
)
const ListDialog = part(() =>
  withTexts('composer', import('./ListDialog')).then(
    (loaded) => loaded.ListDialog,
  ),
)
const TemplateDialog = part(() =>
  withTexts('composer', import('./TemplateDialog')).then(
    (loaded) => loaded.TemplateDialog,
  ),
)

/** ComposerDialog is the open dialog. content is null if it would be several messages; written means that the composer holds it. */
export type ComposerDialog =
  | { kind: 'template' | 'buttons' | 'list' }
  | {
      kind: 'later'
      content: ScheduledContent | null
      preview: string
      written: boolean
    }

type Props = {
  conversation: Conversation
  /** The text in the composer, which becomes the body of a message with buttons or a list. */
  text: string
  dialog: ComposerDialog | null
  onDialog: (dialog: ComposerDialog | null) => void
  onSend: (body: Omit<SendBody, 'client_id'>, preview?: string) => void
  /** onOffer sends a message with buttons or a list, which uses the composer's text. */
  onOffer: (interactive: InteractiveBody) => void
  /** onScheduled is called when the composer's content was scheduled. */
  onScheduled: () => void
}

export function ComposerDialogs({
  conversation,
  text,
  dialog,
  onDialog,
  onSend,
  onOffer,
  onScheduled,
}: Props) {
  const close = () => onDialog(null)
  const Choice =
    dialog?.kind === 'buttons'
      ? ButtonsDialog
      : dialog?.kind === 'list'
        ? ListDialog
        : null
  return (
    <Suspense fallback={null}>
      {dialog?.kind === 'template' && (
        <TemplateDialog
          conversation={conversation}
          onClose={close}
          onSend={(template, preview) => {
            onSend({ template }, preview)
            close()
          }}
          onLater={(template, preview) =>
            onDialog({
              kind: 'later',
              content: { template },
              preview,
              written: false,
            })
          }
        />
      )}
      {Choice && (
        <Choice
          text={text}
          onClose={close}
          onSend={(interactive) => {
            onOffer(interactive)
            close()
          }}
        />
      )}
      {dialog?.kind === 'later' && (
        <LaterDialog
          conversation={conversation}
          content={dialog.content}
          preview={dialog.preview}
          onClose={close}
          onDone={() => {
            close()
            if (dialog.written) onScheduled()
          }}
        />
      )}
    </Suspense>
  )
}
