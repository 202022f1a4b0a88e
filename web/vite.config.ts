import react from '@vitejs/plugin-react'
import { build, type HtmlTagDescriptor, type Plugin, type Rolldown } from 'vite'
import { defineConfig } from 'vitest/config'
import { comesWith } from './scripts/chunks.ts'

/** Files of modules that are needed together, by the source that needs them; a module is in the first one. */
const first = [
  ['app', 'main.ts'],
  ['base', 'start.tsx'],
  ['conversation', 'inbox/ConversationPane.tsx'],
] as const

/** The styles that the first screen does not need are one file: each style sheet that comes later makes the browser work out the whole page again. */
const laterStyles = /\.css(\?|$)|\/ui\/styles\.ts$/

/** fileOf names the file of a module; null leaves the choice to the bundler. */
function fileOf(id: string, bundle: Rolldown.ChunkingContext): string | null {
  const file =
    first.find(([, source]) => comesWith(source, id, bundle))?.[0] ?? null
  return file !== 'app' && file !== 'base' && laterStyles.test(id)
    ? 'styles'
    : file
}

/** named lets the page name the files of start.tsx, its styles and the font, so that browsers fetch them beside the first script. */
const named: Plugin = {
  name: 'name-start',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle }) => {
      const chunks = Object.values(bundle ?? {}).filter(
        (file) => file.type === 'chunk',
      )
      const start = chunks.find(
        (chunk) => chunk.facadeModuleId?.endsWith('/src/start.tsx') ?? false,
      )
      const needs = (name: string): string[] => [
        name,
        ...(
          chunks.find((chunk) => chunk.fileName === name)?.imports ?? []
        ).flatMap(needs),
      ]
      const names = new Set(start ? needs(start.fileName) : [])
      const wanted = chunks.filter(
        (chunk) => names.has(chunk.fileName) && chunk.fileName !== 'app.js',
      )
      const link = (
        attrs: Record<string, string | boolean>,
      ): HtmlTagDescriptor => ({ tag: 'link', attrs, injectTo: 'head' })
      const font = Object.keys(bundle ?? {}).find((name) =>
        name.startsWith('inter-latin-wght'),
      )
      const styles = new Set(
        wanted.flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])]),
      )
      return [
        ...[...styles].map((name) =>
          link({ rel: 'stylesheet', crossorigin: true, href: `./${name}` }),
        ),
        ...wanted.map((chunk) =>
          link({
            rel: 'modulepreload',
            crossorigin: true,
            href: `./${chunk.fileName}`,
          }),
        ),
        ...(font
          ? [
              link({
                rel: 'preload',
                as: 'font',
                type: 'font/woff2',
                crossorigin: true,
                href: `./${font}`,
              }),
            ]
          : []),
      ]
    },
  },
}

/** worker builds the service worker as one file of its own, which the server serves below the base path. */
const worker: Plugin = {
  name: 'service-worker',
  apply: 'build',
  async generateBundle() {
    const built = (await build({
      configFile: false,
      publicDir: false,
      logLevel: 'warn',
      build: {
        target: 'es2022',
        write: false,
        modulePreload: false,
        rollupOptions: {
          input: 'src/worker/sw.ts',
          output: { format: 'iife', entryFileNames: 'sw.js' },
        },
      },
    })) as Rolldown.RolldownOutput
    const [{ code }] = built.output
    this.emitFile({ type: 'asset', fileName: 'sw.js', source: code })
  },
}

// The file names have no hashes: the server puts the files below a path that names their content, and
// dist is committed, where stable names keep the history readable.
export default defineConfig({
  base: './',
  plugins: [react(), named, worker],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        // main.ts is small and asks for the first answers; what every page needs beside it is one file: fewer requests, and it compresses better.
        codeSplitting: {
          includeDependenciesRecursively: false, // comesWith gives them
          groups: [{ debugName: 'first', name: fileOf }],
        },
        // A catalogue is called by its part and its language.
        chunkFileNames: ({ facadeModuleId }) => {
          const [, part, language] =
            /locales\/(?:(\w+)\/)?([\w-]+)\.json$/.exec(facadeModuleId ?? '') ??
            []
          return language ? `${part ?? 'texts'}-${language}.js` : '[name].js'
        },
        // The tables of emoji are all called data.json; their language is a part of their path.
        assetFileNames: ({ originalFileNames }) => {
          const language = /emoji-picker-element-data\/(\w+)\//.exec(
            originalFileNames[0] ?? '',
          )?.[1]
          return language ? `emoji-${language}[extname]` : '[name][extname]'
        },
      },
    },
  },
  test: {
    pool: 'threads', // they start sooner than processes
    isolate: false, // the files of a thread share their modules: loading a page for each took most of the time
    testTimeout: 60_000, // no test waits so long, but a busy machine may draw a page slowly
    hookTimeout: 60_000,
    // The default is Node: a file whose tests need a page asks for jsdom in its first line, since its start takes longer than most tests.
    environment: 'node',
    include: ['{src,scripts,test}/**/*.test.{ts,tsx}'],
    setupFiles: ['test/setup.ts'],
    css: false,
  },
})
