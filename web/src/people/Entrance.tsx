import type { ReactNode } from 'react'
import { Logo } from '../ui/Logo'
import classes from './people.module.css'

/** Entrance is the frame of the pages before sign-in. */
export function Entrance({
  title,
  text,
  children,
}: {
  title: string
  text?: string
  children: ReactNode
}) {
  return (
    <main aria-label={title} className={classes.page}>
      <div className={classes.box}>
        <div className={classes.head}>
          <Logo size={40} />
          <div>
            <h1>{title}</h1>
            {text && <p>{text}</p>}
          </div>
        </div>
        {children}
      </div>
      <div id="layer" />
    </main>
  )
}
