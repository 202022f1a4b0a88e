import { IconAlertCircle } from '@tabler/icons-react'
import { useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { PlainButton } from './plain'
import classes from './states.module.css'

/** useLate returns true after 150 ms, so that fast loads show no skeleton. */
export function useLate(milliseconds = 150): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), milliseconds)
    return () => clearTimeout(timer)
  }, [milliseconds])
  return late
}

/** Loading shows skeleton rows after a short delay. */
export function Loading({
  rows = 6,
  height = 44,
}: {
  rows?: number
  height?: number
}) {
  const late = useLate()
  const { t } = useTranslation()
  return (
    <div
      className={classes.loading}
      aria-busy={late}
      role="status"
      aria-label={t('states.loading')}
    >
      {late &&
        Array.from({ length: rows }, (_, row) => (
          <div key={row} className={classes.skeleton} style={{ height }} />
        ))}
    </div>
  )
}

/** Empty is an empty state with at most one action. */
export function Empty({
  icon,
  title,
  text,
  children,
}: {
  icon?: ReactNode
  title: string
  text?: string
  children?: ReactNode
}) {
  return (
    <div className={classes.empty} role="status">
      {icon && <span className={classes.icon}>{icon}</span>}
      <p className={classes.title}>{title}</p>
      {text && <p className={classes.text}>{text}</p>}
      {children}
    </div>
  )
}

/** Failure shows an error message with the request id. */
export function Failure({
  message,
  requestId,
  onRetry,
}: {
  message: string
  requestId?: string
  onRetry?: () => void
}) {
  const { t } = useTranslation()
  return (
    <div className={classes.empty} role="alert">
      <span className={classes.icon} data-tone="red">
        <IconAlertCircle size={28} />
      </span>
      <p className={classes.title}>{message}</p>
      {requestId && (
        <p className={classes.text}>
          {t('states.requestId', { id: requestId })}
        </p>
      )}
      {onRetry && (
        <PlainButton look="default" onClick={onRetry}>
          {t('states.tryAgain')}
        </PlainButton>
      )}
    </div>
  )
}

/** PartFailure replaces a part of the page that could not be loaded. React caches the failed import, so "Try again" reloads the page; messages being written are kept as drafts. */
export function PartFailure() {
  const { t } = useTranslation()
  return (
    <Failure message={t('errors.unknown')} onRetry={() => location.reload()} />
  )
}
