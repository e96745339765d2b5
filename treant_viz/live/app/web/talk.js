// Talking to the server. A page that it has forgotten says hello again, and asks for its data anew.

let session = null; // our name at the server
let given = {}; // the data as they were asked for

async function post(question, body) {
  const answer = await fetch(`api/${question}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ session, ...body }),
  }).catch(() => null);
  if (!answer) throw new Error("the server does not answer: was the command stopped?");
  if (answer.status === 410) throw Object.assign(new Error("idle for too long"), { gone: true });
  const text = await answer.text();
  let told = null;
  try {
    told = JSON.parse(text);
  } catch {
    throw new Error(text.trim() || `the server answers with ${answer.status}`);
  }
  if (!answer.ok) throw Object.assign(new Error(told.error), { entries: told.entries });
  return told;
}

/** The same, with a new page at the server if it has forgotten this one. */
export async function asked(question, body) {
  try {
    return await post(question, body);
  } catch (error) {
    if (!error.gone) throw error;
  }
  await hello();
  return post(question, body);
}

export async function hello() {
  const told = await post("hello", given);
  session = told.session;
  return told;
}

/** Other data from now on. */
export async function data(wanted) {
  const told = await asked("data", wanted);
  given = wanted;
  return told;
}

export const dataNow = () => given;

export function goodbye() {
  navigator.sendBeacon("api/bye", new Blob([JSON.stringify({ session })], { type: "application/json" }));
}
