import { useId, type ReactNode } from 'react'
import classes from './Layout.module.css'

type PageProps = {
  title: ReactNode
  text?: ReactNode
  action?: ReactNode
  wide?: boolean
  children: ReactNode
}

/** Page is a page column with a title, a description and a main action above its sections. */
export function Page({
  title,
  text,
  action,
  wide = false,
  children,
}: PageProps) {
  return (
    <div className={classes.page} data-wide={wide || undefined}>
      <header className={classes.pageHead}>
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

type SectionProps = {
  title: string
  text?: ReactNode
  action?: ReactNode
  children?: ReactNode
}

/** Section is a titled part of a page with an optional action next to the title. */
export function Section({ title, text, action, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes.section}>
      <SectionHead id={id} title={title} text={text} action={action} />
      {children && (
        <div className={classes.body} data-section>
          {children}
        </div>
      )}
    </section>
  )
}

/** SectionHead is the title of a part that is not a region, such as a figure. */
export function SectionHead({
  id,
  title,
  text,
  action,
}: Omit<SectionProps, 'children'> & { id?: string }) {
  return (
    <header className={classes.head}>
      <div>
        <h2 id={id}>{title}</h2>
        {text && <p>{text}</p>}
      </div>
      {action}
    </header>
  )
}

/** SectionForm is a section that consists of one named form. */
export function SectionForm({
  title,
  text,
  children,
  onSubmit,
}: SectionProps & { onSubmit: () => void }) {
  return (
    <form
      aria-label={title}
      className={classes.section}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <SectionHead title={title} text={text} />
      <div className={classes.body}>{children}</div>
    </form>
  )
}
