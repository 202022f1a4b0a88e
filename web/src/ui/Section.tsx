import { useId, type ReactNode } from 'react'
import classes from './Section.module.css'

type Props = { title: string; text?: ReactNode; action?: ReactNode; children?: ReactNode }

/** Section is a titled part of a page, with an action beside its title. */
export function Section({ title, text, action, children }: Props) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes.section}>
      <header className={classes.head}>
        <div>
          <h2 id={id}>{title}</h2>
          {text && <p>{text}</p>}
        </div>
        {action}
      </header>
      {children && <div className={classes.body}>{children}</div>}
    </section>
  )
}
