import { Document, visit } from 'yaml'
import { hasRawControls, toSafeJson } from './safe-text.ts'

// Loaded for YAML output only. In a split bundle, a dynamic import of the package itself, which is CommonJS, has a default export only.

// Octal in YAML 1.2 alone: written plain, `0o7` would be a number for its readers.
const octal = /^[-+]?0o/

/**
 * YAML without control characters, anchors and folded lines. Every string is quoted that YAML 1.1 (kubectl) or 1.2 would read as another type, such
 * as `yes`.
 */
export function toYaml(value: unknown): string {
  const document = new Document(value, { version: '1.1', aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_key, node) => {
      // An escape counts in quotes only.
      if (typeof node.value === 'string' && (octal.test(node.value) || hasRawControls(node.value)))
        node.type = 'QUOTE_DOUBLE'
    },
  })
  return toSafeJson(document.toString({ lineWidth: 0 }))
}
