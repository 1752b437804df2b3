import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { PARTS_PROGRAM, packConsole } from '../../scripts/console/pack-console.ts'
import { needsChromium } from './browser-session.ts'
import { checkLooks, crossLooks } from './check-looks.ts'
import { cannedShell, serveConsole } from './fake-console.ts'
import { axeViolations, openLook, openWindow, overflowOf, setLook, startBrowser } from './look.ts'
import type { Look, LookedPage } from './look.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

// The page has each part several times, so that landmarks repeat and no heading is the first.
const notOfOnePage = [
  'landmark-unique',
  'landmark-one-main',
  'page-has-heading-one',
  'heading-order',
  'landmark-no-duplicate-main',
]

// Loaded by the parts of documents, and drawn by them in all their states.
const innerOfDocuments = [
  'YamlEditorBody',
  'DiffBody',
  'SchemaFormBody',
  'FormField',
  'ObjectFields',
  'ScalarField',
  'MapField',
  'FreeField',
  'RemoveButton',
  'FormContext',
]

test('every component of the parts has its states on the page of parts', () => {
  const of = (pattern: string): readonly string[] => globSync(pattern, { cwd: join(root, 'ui/parts') })
  const read = (path: string): string => readFileSync(join(root, 'ui/parts', path), 'utf8')
  const shown = of('*/*.states.tsx').map(read).join('\n')
  const parts = of('*/*.tsx')
    .filter((path) => !path.includes('.states.'))
    .flatMap((path) => [...read(path).matchAll(/^export (?:function|const) ([A-Z]\w+)/gm)].map(([, name = '']) => name))
  // Drawn by others in all their states; an icon is a picture.
  const inner = ['Icon', 'TableRow', 'SkeletonRows', 'WaterfallRow', 'SPAN_ROW_PX', ...innerOfDocuments]
  assert.deepEqual(
    parts.filter((name) => !inner.includes(name) && !shown.includes(`part: '${name}'`)),
    [],
  )
})

// Chosen by a value: the kind of a span or of a JSON value, the rank of a column, a series.
const chosen = [
  'message',
  'tool',
  'delegate',
  'boolean',
  'rank2',
  'rank3',
  'rank4',
  'series0',
  'series1',
  'series2',
  'series3',
  'series4',
  'series5',
]

test('every class of a sheet is used, and every used class is in its sheet', () => {
  const sheets = globSync('{ui,plugins/*/console}/**/*.module.css', { cwd: root, exclude: ['**/node_modules'] })
  const code = globSync('{ui,plugins/*/console}/**/*.{ts,tsx}', { cwd: root, exclude: ['**/node_modules'] }).map(
    (path) => ({
      path,
      text: readFileSync(join(root, path), 'utf8'),
    }),
  )
  const missing = sheets.flatMap((path) => {
    const sheet = readFileSync(join(root, path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
    const classes = new Set([...sheet.matchAll(/\.([a-zA-Z]\w*)/g)].map(([, name = '']) => name))
    const users = code
      .filter(({ text }) => text.includes(`/${path.split('/').at(-1)}'`))
      .map(({ text }) => text)
      .join('\n')
    const named = [...users.matchAll(/(?:styles|flame|trace)\['(\w+)'\]/g)].map(([, name = '']) => name)
    const unused = [...classes].filter(
      (name) => !chosen.includes(name) && !new RegExp(`\\b${name}\\b`).test(users.replaceAll(/^import .*$/gm, '')),
    )
    const isOnlySheet = (users.match(/\.module\.css'/g) ?? []).length === 1
    return [
      ...unused.map((name) => `${path}: ${name} is unused`),
      ...(isOnlySheet ? named.filter((name) => !classes.has(name)).map((name) => `${path}: ${name} is missing`) : []),
    ]
  })
  assert.deepEqual(missing, [])
})

test('every part in every state: no axe violation, no console error, no sideways scroll', needsChromium, async (t) => {
  const { files } = await packConsole(root, PARTS_PROGRAM)
  const url = await serveConsole(t, files)
  const browser = await startBrowser(t)
  await checkLooks(browser, url, [['/parts', '[data-part="WaterfallTools"]']], { disabled: notOfOnePage, isWide: true })
})

test('the shell: no axe violation, no console error, no sideways scroll', needsChromium, async (t) => {
  const files = await consoleFiles()
  const url = await serveConsole(t, files, cannedShell)
  const browser = await startBrowser(t)
  const window = await openWindow(browser)
  for (const look of crossLooks) await lookAtShell(window, url, look)
})

async function lookAtShell({ page, problems }: LookedPage, url: string, look: Look): Promise<void> {
  await setLook(page, look)
  // A menu that is open stays so.
  await page.goto(`${url}/feedback`)
  await page.waitForSelector('tbody tr')
  const violations = [...(await axeViolations(page))]
  assert.ok((await overflowOf(page)) <= 0, `${nameOf(look)} scrolls sideways`)
  await page.keyboard.press('Control+k')
  await page.waitForSelector('[role="combobox"]')
  violations.push(...(await axeViolations(page)))
  await page.keyboard.press('Escape')
  await page.waitForSelector('[role="combobox"]', { state: 'detached' })
  if (look.width === 'phone') await page.getByRole('button', { name: 'Open navigation' }).click()
  await page.getByRole('button', { name: /mira\.lang/ }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor()
  violations.push(...(await axeViolations(page)))
  assert.deepEqual(violations, [], nameOf(look))
  assert.deepEqual(problems, [], nameOf(look))
}

function nameOf({ scheme, width }: Look): string {
  return `${scheme}, ${width}`
}

test(
  'the shell by keys: skip link, list of keys, pages; a chosen scheme is there before the first paint',
  needsChromium,
  async (t) => {
    const files = await consoleFiles()
    const url = await serveConsole(t, files, cannedShell)
    const browser = await startBrowser(t)
    const { page, problems } = await openLook(browser, `${url}/feedback#code=once`, { scheme: 'light', width: 'wide' })
    await page.waitForSelector('tbody tr')
    const focused = (): Promise<string> =>
      page.evaluate<string>('document.activeElement.id || document.activeElement.textContent')
    await page.keyboard.press('Tab')
    assert.equal(await focused(), 'Skip to content')
    await page.keyboard.press('Enter')
    assert.equal(await focused(), 'main')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Filter this page').waitFor()
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    assert.equal(await focused(), 'main')
    await page.keyboard.press('/')
    await page.keyboard.type('gh')
    assert.equal(await page.evaluate('document.activeElement.value'), 'gh', 'letters in a field are no keys')
    await page.waitForURL(/agent=gh/)
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.waitForURL(`${url}/`)
    await page.getByRole('button', { name: /mira\.lang/ }).click()
    await page.locator('[role^="menuitem"]:focus').waitFor()
    await page.keyboard.type('dd')
    await page.keyboard.press('Enter')
    await page.waitForSelector('html[data-scheme="dark"]')
    await page.addInitScript(
      `addEventListener('DOMContentLoaded', () => { globalThis.early = document.documentElement.dataset.scheme })`,
    )
    await page.goto(`${url}/feedback#code=once`)
    assert.equal(await page.evaluate('globalThis.early'), 'dark')
    assert.deepEqual(problems, [])
  },
)
