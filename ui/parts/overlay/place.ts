/** A rectangle of the window. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const GAP = 4
const EDGE = 6

/** Where an overlay stands: below its button, or above it where there is more space; never outside of the window. */
export function placeBeside(
  anchor: Box,
  overlay: Pick<Box, 'width' | 'height'>,
  window: Pick<Box, 'width' | 'height'>,
  align: 'start' | 'end',
): { readonly left: number; readonly top: number; readonly maxHeight: number } {
  const below = window.height - anchor.top - anchor.height - GAP - EDGE
  const above = anchor.top - GAP - EDGE
  const isBelow = overlay.height <= below || below >= above
  const height = Math.min(overlay.height, isBelow ? below : above)
  const wanted = align === 'start' ? anchor.left : anchor.left + anchor.width - overlay.width
  return {
    left: Math.max(EDGE, Math.min(wanted, window.width - overlay.width - EDGE)),
    top: isBelow ? anchor.top + anchor.height + GAP : anchor.top - GAP - height,
    maxHeight: isBelow ? below : above,
  }
}
