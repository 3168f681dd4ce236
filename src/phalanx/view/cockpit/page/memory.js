// What a person chose, kept by the browser, if it keeps anything.

export function recall(name) {
  try {
    return localStorage.getItem(`phalanx.${name}`);
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`phalanx.${name}`, value);
  } catch {
    // it is chosen anew next time
  }
}
