import { Button, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from './announce'
import classes from './CopyField.module.css'

type Props = {
  label?: string
  value: string
  copy?: string
  description?: string
}

/** CopyField shows a value with a copy button: in a labelled field, or in full without a label. */
export function CopyField({ label, value, copy, description }: Props) {
  const { t } = useTranslation()
  const [copied, setCopied] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const text = useRef<HTMLElement>(null)
  const take = async () => {
    input.current?.select()
    if (text.current) getSelection()?.selectAllChildren(text.current)
    // There is no clipboard outside secure contexts; select the text so that it can be copied by hand.
    if (navigator.clipboard)
      await navigator.clipboard
        .writeText(value)
        .catch(() => document.execCommand('copy'))
    else document.execCommand('copy')
    setCopied(true)
    announce(t('conversation.copied'))
    setTimeout(() => setCopied(false), 2000)
  }
  const button = (
    <Button
      variant="default"
      size={label ? 'sm' : 'xs'}
      leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
      onClick={() => void take()}
    >
      {copy ?? t('common.copy')}
    </Button>
  )
  if (!label) {
    return (
      <div className={classes.plain}>
        <code ref={text}>{value}</code>
        {button}
      </div>
    )
  }
  return (
    <div role="group" aria-label={label} className={classes.field}>
      <TextInput
        ref={input}
        label={label}
        description={description}
        readOnly
        value={value}
        onFocus={(event) => event.currentTarget.select()}
      />
      {button}
    </div>
  )
}
