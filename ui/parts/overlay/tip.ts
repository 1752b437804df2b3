import { placeBeside } from './place.ts'
import styles from './tip.module.css'

const WAIT_MS = 250

/**
 * One tip for the whole page: it shows the `data-tip` of what the pointer or the focus is on, so that a thousand rows cost no hook each.
 * It is never the only place of a fact. Returns the function that ends it.
 */
export function startTips(): () => void {
  const box = document.createElement('div')
  box.className = styles['tip'] ?? ''
  box.setAttribute('role', 'tooltip')
  box.popover = 'manual'
  document.body.append(box)
  let timer: ReturnType<typeof setTimeout> | undefined
  const hide = (): void => {
    clearTimeout(timer)
    if (box.matches(':popover-open')) box.hidePopover()
  }
  const show = ({ target }: Event): void => {
    hide()
    const owner = target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null
    if (owner !== null) timer = setTimeout(() => showTip(box, owner), WAIT_MS)
  }
  const ends = new AbortController()
  const options = { signal: ends.signal, passive: true, capture: true }
  for (const type of ['pointerover', 'focusin']) document.addEventListener(type, show, options)
  for (const type of ['scroll', 'keydown', 'pointerdown']) document.addEventListener(type, hide, options)
  return () => {
    ends.abort()
    hide()
    box.remove()
  }
}

function showTip(box: HTMLElement, owner: HTMLElement): void {
  if (!owner.isConnected) return
  box.textContent = owner.dataset['tip'] ?? ''
  box.showPopover()
  const view = { width: document.documentElement.clientWidth, height: document.documentElement.clientHeight }
  const { left, top } = placeBeside(owner.getBoundingClientRect(), box.getBoundingClientRect(), view, 'start')
  Object.assign(box.style, { left: `${left}px`, top: `${top}px` })
}
