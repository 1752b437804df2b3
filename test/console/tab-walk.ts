import type { Page } from 'playwright-core'

/** More presses of Tab than a page has elements that take the focus. */
const MOST_PRESSES = 400

// What a page has for the keyboard, in the page. Transitions are off: a colour that begins to change is still the old one.
const script = `(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important }')
  document.adoptedStyleSheets.push(sheet)
  const roles = ['button', 'link', 'checkbox', 'radio', 'tab', 'switch', 'option', 'menuitem', 'textbox', 'combobox', 'slider']
  const wanted = ['a[href]', 'button', 'input', 'select', 'textarea', 'summary', '[contenteditable="true"]', '[tabindex]:not([tabindex="-1"])', 'tr[tabindex]',
    ...roles.map((role) => '[role=' + role + ']')].join(', ')
  const groups = '[role=tablist], [role=radiogroup], [role=grid], [role=treegrid], [role=listbox], [role=menu], [role=tree], [role=toolbar]'
  const isShown = (one) => {
    const { width, height } = one.getBoundingClientRect()
    return width > 1 && height > 1 && one.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
  }
  const isOf = (one) => isShown(one) && !one.disabled && one.closest('[inert], [aria-hidden=true]') === null && one.id !== 'main'
  const titleOf = (one) => {
    const words = one.ariaLabel ?? one.title ?? ''
    const text = (words === '' ? one.textContent ?? '' : words).trim().replace(/\\s+/g, ' ').slice(0, 40)
    return one.tagName.toLowerCase() + (one.role ? '[' + one.role + ']' : '') + ' "' + text + '"'
  }
  const looked = ['outline', 'boxShadow', 'backgroundColor', 'borderColor', 'color', 'textDecoration', 'opacity', 'stroke', 'strokeWidth']
  const lookOf = (one) => {
    const near = [one, one.parentElement, one.parentElement?.parentElement, ...[...one.querySelectorAll('*')].slice(0, 40), ...one.querySelectorAll('[aria-selected=true]')]
    return near.filter(Boolean).map((part) => {
      const style = getComputedStyle(part)
      return looked.map((name) => style[name]).join()
    }).join('|')
  }
  // Editors are in shadow roots.
  const rootsOf = () => [document, ...[...document.querySelectorAll('[data-editor]')].flatMap(({ shadowRoot }) => shadowRoot ?? [])]
  const all = () => rootsOf().flatMap((root) => [...root.querySelectorAll(wanted)]).filter(isOf)
  // A page may begin with the focus in its field.
  document.body.tabIndex = -1
  document.body.focus()
  document.body.removeAttribute('tabindex')
  const state = { reached: new Set(), looks: new Map(all().map((one) => [one, lookOf(one)])), first: undefined }
  const isSeen = (one) => {
    const before = state.looks.get(one)
    if (before !== undefined) return before !== lookOf(one)
    // It came with the focus, as the link to the content does.
    return isShown(one)
  }
  const isUncovered = (one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect()
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
    const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2
    const over = one.getRootNode().elementFromPoint(x, y)
    return over !== null && (one.contains(over) || over.contains(one) || over.closest('label')?.contains(one) === true)
  }
  // After a press of Tab: the end of the walk, and what is wrong with the element that has the focus.
  const step = async () => {
    const one = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement
    if (one === null || one === document.body || one === document.documentElement) return { isEnd: true, faults: [] }
    if (state.reached.has(one))
      return { isEnd: true, faults: one === state.first ? [] : ['Tab stays within ' + titleOf(one)] }
    state.first ??= one
    state.reached.add(one)
    const faults = []
    // An editor takes note of the focus a moment later.
    if (!isSeen(one)) await new Promise((resolve) => setTimeout(resolve, 100))
    if (!isSeen(one)) faults.push('the focus of ' + titleOf(one) + ' is not visible')
    if (!isUncovered(one)) faults.push(titleOf(one) + ' is covered or out of view')
    return { isEnd: false, faults }
  }
  const radiosOf = (one) => one.type === 'radio' ? [...document.getElementsByName(one.name)] : []
  // Arrows of tabs and choices show something else, which has no such widgets.
  const orderOf = ({ role }) => ['radiogroup', 'tablist'].indexOf(role)
  const missed = () => all().filter((one) => !state.reached.has(one) && !radiosOf(one).some((other) => state.reached.has(other)))
  // Links and boxes of a row are pressed by the keys of the row: see enterFirstRow.
  const isOfRow = (one) => one.tabIndex === -1 && one.closest('[role=grid] tr[tabindex]') !== null && !one.matches('tr')
  const stopOf = (group) => [group, ...group.querySelectorAll(wanted)].find((one) => state.reached.has(one))
  const report = () => {
    const left = missed().filter((one) => !isOfRow(one))
    const composites = [...new Set(left.map((one) => one.closest(groups)))].filter((group) => group !== null && stopOf(group) !== undefined)
      .toSorted((a, b) => orderOf(a) - orderOf(b))
    state.composites = composites.map((group) => ({ stop: stopOf(group), parts: left.filter((one) => group.contains(one)) }))
    const lost = left.filter((one) => !composites.some((group) => group.contains(one)))
    return { reached: state.reached.size, lost: lost.map(titleOf), composites: composites.map((group) => group.role) }
  }
  const enter = (index) => {
    state.passed = new Set()
    state.composites[index].stop.focus()
    return state.composites[index].parts.length
  }
  const pass = () => void state.passed.add(document.activeElement)
  const leave = (index) => state.composites[index].parts.filter((one) => one.isConnected && !state.passed.has(one)).map(titleOf)
  globalThis.tabWalk = { step, report, enter, pass, leave }
})()`

interface Step {
  readonly isEnd: boolean
  readonly faults: readonly string[]
}

interface Report {
  readonly reached: number
  /** What neither Tab nor an arrow can reach. */
  readonly lost: readonly string[]
  /** Roles of the widgets with one tab stop. */
  readonly composites: readonly string[]
}

/** What Tab reaches of a page, and what is wrong with it, one sentence each. */
export interface TabWalk {
  readonly reached: number
  readonly faults: readonly string[]
}

/** Walks through a page by Tab, and through widgets with one tab stop by arrows (https://www.w3.org/WAI/ARIA/apg/practices/keyboard-interface/). */
export async function walkByTab(page: Page): Promise<TabWalk> {
  await page.evaluate(script)
  const faults: string[] = []
  for (let presses = 0; ; presses += 1) {
    await page.keyboard.press('Tab')
    const step = await page.evaluate<Step>('tabWalk.step()')
    faults.push(...step.faults)
    if (step.isEnd) break
    if (presses > MOST_PRESSES) return { reached: presses, faults: [...faults, 'Tab finds no end'] }
  }
  const { reached, lost, composites } = await page.evaluate<Report>('tabWalk.report()')
  faults.push(...lost.map((one) => `Tab does not reach ${one}`))
  for (const [index, role] of composites.entries()) faults.push(...(await walkByArrows(page, index, role)))
  return { reached, faults }
}

async function walkByArrows(page: Page, index: number, role: string): Promise<readonly string[]> {
  const parts = await page.evaluate<number>(`tabWalk.enter(${index})`)
  const key = role === 'tablist' || role === 'radiogroup' || role === 'toolbar' ? 'ArrowRight' : 'ArrowDown'
  for (let presses = 0; presses < parts; presses += 1) {
    await page.keyboard.press(key)
    await page.evaluate('tabWalk.pass()')
  }
  const left = await page.evaluate<readonly string[]>(`tabWalk.leave(${index})`)
  return left.map((one) => `arrows of the ${role} do not reach ${one}`)
}

const firstLink = `(() => {
  const link = document.querySelector('[role=grid] tr[data-index="0"] a[tabindex="-1"]')
  link?.closest('tr').focus()
  return link === null ? undefined : new URL(link.href).pathname
})()`

/** What is wrong with a row whose link Tab passes over: Enter must lead to where the link leads. Leaves the page. */
export async function enterFirstRow(page: Page): Promise<readonly string[]> {
  const target = await page.evaluate<string | undefined>(firstLink)
  if (target === undefined) return []
  await page.keyboard.press('Enter')
  const isThere = await page
    .waitForURL((url) => url.pathname === target, { timeout: 5_000 })
    .then(
      () => true,
      () => false,
    )
  return isThere ? [] : [`Enter on a row does not lead to ${target}`]
}
