const secretName =
  /^(?:(?:[\w-]+[_-])?(?:(?:proxy-)?authorization|api[_-]?key|access[_-]?key|secret(?:[_-]?(?:key|access[_-]?key))?|client[_-]?secret|private[_-]?key|password|passwd|passphrase|credentials?)|cookie|set-cookie|bearer|(?:access|refresh|id|session|auth|csrf)[_-]?token|token)$/i

/** Whether a field or an attribute is a credential by its name, whatever it looks like: by the last label of a dotted name. */
export function isSecretName(name: string): boolean {
  return secretName.test(name.slice(name.lastIndexOf('.') + 1))
}
