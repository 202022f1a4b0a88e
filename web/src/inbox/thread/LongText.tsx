import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { isParagraph } from '../../ui/RichText'
import classes from './Bubble.module.css'

/** foldedHeight is the height of twelve lines. A text that is only a little higher is not folded. */
const foldedHeight = 240
const tolerance = 60

/** Texts that the reader has unfolded stay so when their line is rendered again. */
const unfolded = new Set<string>()

/** mayBeLong reports whether a text is worth measuring. */
const mayBeLong = (text: string) =>
  text.length > 500 || text.split('\n', 13).length > 12

/** LongText shows a text of up to about twelve lines; the rest of a longer one follows on "Read more". */
export function LongText({
  id,
  text,
  whole,
  children,
}: {
  id: string
  text: string
  /** Shows everything, because the reader is looking for something in it. */
  whole: boolean
  children: ReactNode
}) {
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement & HTMLParagraphElement>(null)
  const [open, setOpen] = useState(() => unfolded.has(id))
  const [long, setLong] = useState(() => mayBeLong(text))
  useLayoutEffect(() => {
    setLong(
      mayBeLong(text) &&
        (box.current?.scrollHeight ?? 0) > foldedHeight + tolerance,
    )
  }, [text])
  const Box = isParagraph(text) ? 'p' : 'div'
  const folded = long && !open && !whole
  return (
    <>
      <Box
        ref={box}
        className={classes.text}
        data-folded={folded || undefined}
        style={folded ? { maxHeight: foldedHeight } : undefined}
      >
        {children}
      </Box>
      {folded && (
        <button
          type="button"
          className={classes.readMore}
          onClick={() => {
            unfolded.add(id)
            setOpen(true)
          }}
        >
          {t('message.readMore')}
        </button>
      )}
    </>
  )
}
