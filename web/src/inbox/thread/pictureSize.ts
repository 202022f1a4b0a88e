import type { Media } from '../../api/types'

/** The width of a picture in a bubble, in pixels. */
const widest = 330
const narrowest = 180

/** Pictures that are taller or wider than this are cropped. */
const tallest = 3 / 4
const flattest = 16 / 9

/** pictureSize returns the size of an image or video in its bubble, so that its space is reserved before it loads. */
export function pictureSize({
  width,
  height,
}: Pick<Media, 'width' | 'height'>): { width: number; height: number } {
  if (!width || !height) return { width: 260, height: 200 }
  const ratio = Math.min(flattest, Math.max(tallest, width / height))
  const shown = Math.min(
    ratio < 1 ? widest * 0.8 : widest,
    Math.max(narrowest, width),
  )
  return { width: Math.round(shown), height: Math.round(shown / ratio) }
}
