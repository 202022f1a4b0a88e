import classes from './LabelTag.module.css'

/** LabelTag shows a label's name with a dot in its colour. */
export function LabelTag({
  label,
}: {
  label: { name: string; color: string } | undefined
}) {
  if (!label) return null
  return (
    <span className={classes.tag} data-label>
      <span
        aria-hidden
        className={classes.dot}
        style={{ background: label.color }}
      />
      <span className={classes.name}>{label.name}</span>
    </span>
  )
}
