import classes from './LabelTag.module.css'

/** LabelTag is the name of a label with a dot of its colour; the text keeps the contrast of the page. */
export function LabelTag({
  label,
}: {
  label: { name: string; color: string } | undefined
}) {
  if (!label) return null
  return (
    <span className={classes.tag}>
      <span
        aria-hidden
        className={classes.dot}
        style={{ background: label.color }}
      />
      <span className={classes.name}>{label.name}</span>
    </span>
  )
}
