import { useId, type ReactNode } from 'react'
import { usePhone } from '../ui/usePhone'
import classes from './Details.module.css'

/** Section is a named region of the details panel. */
export function Section({
  title,
  children,
}: {
  title: string
  children: ReactNode
}) {
  const id = useId()
  const Title = usePhone() ? 'h2' : 'h3'
  return (
    <section aria-labelledby={id} className={classes.section}>
      <Title id={id} className={classes.title}>
        {title}
      </Title>
      {children}
    </section>
  )
}

/** Fact is a label with its value. */
export function Fact({
  label,
  children,
}: {
  label: string
  children: ReactNode
}) {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
