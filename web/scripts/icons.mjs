// Draws the icons of the installed app from public/favicon.svg with Chromium: node scripts/icons.mjs
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const root = join(import.meta.dirname, '..')
const logo = readFileSync(join(root, 'public/favicon.svg'), 'utf8')
const glyph = logo.replace(/<rect[^>]*>/, '')
const green = '#0b7a5b'

/** The icons: whether they fill the square, and how large the logo is in it. Android cuts maskable icons to a circle of 80 %. */
const icons = [
  { file: 'public/icon-192.png', size: 192, svg: logo },
  { file: 'public/icon-512.png', size: 512, svg: logo },
  {
    file: 'public/icon-maskable-192.png',
    size: 192,
    svg: glyph,
    ground: green,
    scale: 0.9,
  },
  {
    file: 'public/icon-maskable-512.png',
    size: 512,
    svg: glyph,
    ground: green,
    scale: 0.9,
  },
  {
    file: 'public/apple-touch-icon.png',
    size: 180,
    svg: glyph,
    ground: green,
    scale: 0.95,
  },
  // Android shows only the alpha channel in the status bar.
  { file: 'src/worker/badge.png', size: 96, svg: glyph, scale: 1.3 },
]

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
})
for (const { file, size, svg, ground = 'transparent', scale = 1 } of icons) {
  const page = await browser.newPage({
    viewport: { width: size, height: size },
  })
  const side = size * scale
  await page.setContent(
    `<style>body{margin:0;background:${ground};overflow:hidden}svg{position:absolute;width:${side}px;height:${side}px;left:${(size - side) / 2}px;top:${(size - side) / 2}px}</style>${svg}`,
  )
  await page.screenshot({ path: join(root, file), omitBackground: true })
  await page.close()
}
await browser.close()
