import qrcode from 'qrcode-generator'
import { useMemo } from 'react'
import classes from './QrCode.module.css'

const margin = 4 // in modules, as the standard requires

/** QrCode renders a text as a QR code, dark on white in both themes so that every camera can read it. */
export function QrCode({
  text,
  label,
  width = 200,
}: {
  text: string
  label: string
  width?: number
}) {
  const { size, path } = useMemo(() => {
    const code = qrcode(0, 'M')
    code.addData(text)
    code.make()
    const count = code.getModuleCount()
    const dark: string[] = []
    for (let y = 0; y < count; y++) {
      for (let x = 0; x < count; x++)
        if (code.isDark(y, x)) dark.push(`M${x + margin} ${y + margin}h1v1h-1z`)
    }
    return { size: count + 2 * margin, path: dark.join('') }
  }, [text])
  return (
    <svg
      role="img"
      aria-label={label}
      className={classes.code}
      width={width}
      height={width}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
