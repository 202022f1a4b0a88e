import { Alert, Button, Group, type MantineColor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Saved } from './Saved'

type Props = {
  busy: boolean
  saved?: boolean
  savedText?: string
  problem: string | null
  submit: string
  color?: MantineColor
  disabled?: boolean
  children?: ReactNode
}

/** FormFooter shows a form's error or success message and its submit button. */
export function FormFooter({
  busy,
  saved = false,
  savedText,
  problem,
  submit,
  color,
  disabled,
  children,
}: Props) {
  return (
    <>
      {problem && (
        <Alert color="red" variant="light">
          {problem}
        </Alert>
      )}
      <Group justify="flex-end" align="center">
        <Saved shown={saved} text={savedText} />
        {children}
        <Button type="submit" loading={busy} color={color} disabled={disabled}>
          {submit}
        </Button>
      </Group>
    </>
  )
}
