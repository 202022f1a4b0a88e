import { ActionIcon, Button, Textarea } from '@mantine/core'
import {
  IconBold,
  IconCode,
  IconItalic,
  IconPlus,
  IconStrikethrough,
} from '@tabler/icons-react'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { inserted, limits, marked, nextVariable } from './templateForm'
import reception from '../reception/Reception.module.css'
import classes from './Templates.module.css'

const marks = [
  { key: 'bold', sign: '*', Icon: IconBold },
  { key: 'italic', sign: '_', Icon: IconItalic },
  { key: 'strike', sign: '~', Icon: IconStrikethrough },
  { key: 'code', sign: '```', Icon: IconCode },
] as const

type Props = {
  value: string
  error: string | undefined
  onChange: (value: string) => void
  onBlur: () => void
}

/** BodyField edits the body of a template, with buttons for WhatsApp's formatting and for variables. */
export function BodyField({ value, error, onChange, onBlur }: Props) {
  const { t } = useTranslation()
  const field = useRef<HTMLTextAreaElement>(null)
  const n = [...value].length
  /** edit changes the text around the selection and keeps the selection, also for the browser's undo. */
  const edit = (change: typeof inserted, piece: string) => {
    const area = field.current
    if (!area) return
    const { selectionStart: start, selectionEnd: end } = area
    const next = change({ text: value, start, end }, piece)
    area.focus()
    area.setSelectionRange(0, value.length)
    if (!document.execCommand('insertText', false, next.text))
      flushSync(() => onChange(next.text))
    area.setSelectionRange(next.start, next.end)
  }
  return (
    <div>
      <Textarea
        ref={field}
        label={
          <>
            {t('templates.body')}{' '}
            <span
              className={reception.count}
              data-over={n > limits.body || undefined}
              aria-hidden
            >
              {n}/{limits.body}
            </span>
          </>
        }
        aria-label={t('templates.body')}
        autosize
        minRows={5}
        maxRows={14}
        value={value}
        error={
          n > limits.body ? t('wrong.too_long', { max: limits.body }) : error
        }
        inputWrapperOrder={['label', 'input', 'error']}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={onBlur}
      />
      <div
        role="toolbar"
        aria-label={t('templates.format')}
        className={classes.bar}
      >
        {marks.map(({ key, sign, Icon }) => (
          <ActionIcon
            key={key}
            variant="subtle"
            color="gray"
            aria-label={t(`templates.mark.${key}`)}
            title={t(`templates.mark.${key}`)}
            onMouseDown={(event) => event.preventDefault()} // the selection stays
            onClick={() => edit(marked, sign)}
          >
            <Icon size={18} aria-hidden />
          </ActionIcon>
        ))}
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={14} />}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => edit(inserted, nextVariable(value))}
        >
          {t('templates.addVariable')}
        </Button>
      </div>
    </div>
  )
}
