const secretName =
  /^(?:(?:[\w-]+[_-])?(?:(?:proxy-)?authorization|api[_-]?key|access[_-]?key|secret(?:[_-]?(?:key|access[_-]?key))?|client[_-]?secret|private[_-]?key|password|passwd|passphrase|credentials?)|cookie|set-cookie|bearer|(?:access|refresh|id|session|auth|csrf)[_-]?token|token)$/i

/** Whether the name of a field or an attribute denotes a credential, whatever its value looks like. The last label of a dotted name decides. */
export function isSecretName(name: string): boolean {
  return secretName.test(name.slice(name.lastIndexOf('.') + 1))
}
