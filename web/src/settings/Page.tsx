import { Alert, Button, Group } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useId, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure as ApiFailure } from '../api/client'
import { Failure, Loading } from '../ui/states'
import classes from './Settings.module.css'

type PageProps = { title: ReactNode; text?: ReactNode; action?: ReactNode; children: ReactNode }

/** Page is one page of the settings: a title, what it is for, its main action, and sections. */
export function Page({ title, text, action, children }: PageProps) {
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div>
          <h1>{title}</h1>
          {text && <p>{text}</p>}
        </div>
        {action}
      </header>
      {children}
    </div>
  )
}

type SectionProps = { title: string; text?: ReactNode; children: ReactNode }

/** Section is a part of a page with a name. */
export function Section({ title, text, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes.section}>
      <div className={classes.sectionHead}>
        <h2 id={id}>{title}</h2>
        {text && <p>{text}</p>}
      </div>
      {children}
    </section>
  )
}

/** Loaded shows what a query answers, and until then that it loads or why it failed. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  const { t } = useTranslation()
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.isPending) return <Loading rows={3} />
  const { error } = query
  return <Failure message={error?.message || t('errors.unknown')} requestId={error instanceof ApiFailure ? error.requestId : undefined} onRetry={() => void query.refetch()} />
}

type FooterProps = { busy: boolean; saved?: boolean; problem: string | null; submit: string; color?: string; disabled?: boolean; children?: ReactNode }

/** FormFooter is the end of a form: what was refused, that it was saved, and the button. */
export function FormFooter({ busy, saved, problem, submit, color, disabled, children }: FooterProps) {
  const { t } = useTranslation()
  return (
    <>
      {problem && <Alert color="red" variant="light">{problem}</Alert>}
      <Group justify="flex-end" align="center">
        <span role="status" className={classes.saved}>{saved ? t('settings.saved') : ''}</span>
        {children}
        <Button type="submit" loading={busy} color={color} disabled={disabled}>{submit}</Button>
      </Group>
    </>
  )
}
