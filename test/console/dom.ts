import { readFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { transformSync } from 'esbuild'
import { JSDOM } from 'jsdom'
import { consoleAliases } from '../../scripts/console/console-aliases.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const workspace = createRequire(join(root, 'ui', 'package.json'))
const shared = Object.keys(consoleAliases(root))
// The look-up in the workspace passes the hook, too.
let isResolving = false
// Each class is its own name.
const sheet = 'export default new Proxy({}, { get: (_, name) => String(name) })'

/** Nothing is laid out under jsdom, so that no size changes. */
class StillObserver {
  observe(): void {}
  disconnect(): void {}
}

const still = { matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }
const missing = {
  matchMedia: () => still,
  ResizeObserver: StillObserver,
  CSS: { escape: (value: string) => value },
  IS_REACT_ACT_ENVIRONMENT: true,
}

/** Makes Node read components, and gives it the globals of a browser. */
export function setUpDom(): void {
  readComponents()
  const html = '<!doctype html><html lang="en"><body></body></html>'
  const { window } = new JSDOM(html, { url: 'http://127.0.0.1/', pretendToBeVisual: true })
  const classes = Object.getOwnPropertyNames(window).filter((name) => /^[A-Z]/.test(name) && !(name in globalThis))
  for (const name of ['window', 'document', 'navigator', 'location', 'localStorage', ...classes])
    Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true })
  for (const name of ['getComputedStyle', 'getSelection'])
    Object.defineProperty(globalThis, name, {
      value: (...given: unknown[]) => Reflect.apply(window[name] as never, window, given),
    })
  for (const target of [globalThis, window]) Object.assign(target, missing)
  Object.assign(window.HTMLCanvasElement.prototype, { getContext: () => null })
}

// Node reads neither JSX nor style sheets. The library of the tests uses the React of the console, not that of the root.
function readComponents(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const isShared = shared.some((name) => specifier === name || specifier.startsWith(`${name}/`))
      if (!isShared || isResolving) return next(specifier, context)
      isResolving = true
      try {
        return { url: pathToFileURL(workspace.resolve(specifier)).href, shortCircuit: true }
      } finally {
        isResolving = false
      }
    },
    load: (url, context, next) => {
      if (url.endsWith('.css')) return { format: 'module', shortCircuit: true, source: sheet }
      if (!url.endsWith('.tsx')) return next(url, context)
      const source = readFileSync(fileURLToPath(url), 'utf8')
      const { code } = transformSync(source, { loader: 'tsx', jsx: 'automatic', format: 'esm', target: 'es2024' })
      return { format: 'module', shortCircuit: true, source: code }
    },
  })
}
