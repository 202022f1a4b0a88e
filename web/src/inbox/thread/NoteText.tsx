import { Fragment } from 'react'
import type { Note } from '../../api/types'
import { RichText } from '../../ui/RichText'
import { mentionParts } from '../composer/mentions'
import classes from './Bubble.module.css'

/** NoteText renders a note with its mentions highlighted. */
export function NoteText({ note }: { note: Note }) {
  return mentionParts(note.text, note.mentions).map(
    ({ text, person }, index) =>
      person ? (
        <b key={index} className={classes.mention}>
          {text}
        </b>
      ) : (
        <Fragment key={index}>
          <RichText text={text} />
        </Fragment>
      ),
  )
}
