import { Button } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from './announce'
import classes from './page.module.css'

/** CopyText shows a text as it is, with a button that copies it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const { t } = useTranslation()
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    announce(t('conversation.copied'))
  }
  return (
    <div className={classes.copy}>
      <code>{text}</code>
      {'clipboard' in navigator && (
        <Button variant="default" size="xs" leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />} onClick={() => void copy()}>
          {copied ? t('conversation.copied') : label}
        </Button>
      )}
    </div>
  )
}
