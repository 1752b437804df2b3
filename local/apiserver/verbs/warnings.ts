const TOTAL_BYTES = 4 * 1024
const ITEM_CHARACTERS = 256
// Same as unicode.IsControl in kube-apiserver, which drops such warnings.
const CONTROL = /\p{Cc}/u

/**
 * Values of the `Warning` headers of one response, as kube-apiserver's recorder makes them: each text once, none with
 * control characters. Above 4 KiB in total each text is cut to 256 characters, and texts after the limit are dropped.
 * Every value is Latin-1 (the bytes of UTF-8), which `setHeader` accepts; other clients decode it back.
 */
export function warningHeaders(texts: readonly string[]): string[] {
  const all = [...new Set(texts)].filter((text) => text !== '' && !CONTROL.test(text))
  return fitting(all).map((text) => `299 - "${toLatin1(text).replaceAll(/["\\]/g, '\\$&')}"`)
}

function fitting(texts: readonly string[]): readonly string[] {
  let bytes = 0
  const over = texts.findIndex((text) => (bytes += Buffer.byteLength(text)) > TOTAL_BYTES)
  if (over < 0) return texts
  const kept: string[] = []
  bytes = 0
  for (const [i, text] of texts.entries()) {
    if (i > over && bytes >= TOTAL_BYTES) break
    const cut = Array.from(text.slice(0, 2 * ITEM_CHARACTERS))
      .slice(0, ITEM_CHARACTERS)
      .join('')
    bytes += Buffer.byteLength(cut)
    kept.push(cut)
  }
  return kept
}

function toLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
