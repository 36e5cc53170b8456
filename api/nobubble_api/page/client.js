// Calls of the service: the token goes along, a problem document is thrown.
const KEY = "nobubble-token";

export const keep = (token) => sessionStorage.setItem(KEY, token);
export const forget = () => sessionStorage.removeItem(KEY);

function headers() {
  const token = sessionStorage.getItem(KEY);
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

async function answered(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw { title: "No connection", detail: "the service does not answer" };
  }
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({ title: `Status ${answer.status}` }));
  throw { ...problem, status: answer.status };
}

export async function call(path, { method = "GET", body = null, as = "json" } = {}) {
  const sent = { method, headers: headers() };
  if (body !== null) {
    sent.headers["Content-Type"] = "application/json";
    sent.body = JSON.stringify(body);
  }
  const answer = await answered(path, sent);
  if (as !== "json") return answer[as]();
  const value = await answer.json();
  const location = answer.headers.get("Content-Location");
  return location === null ? value : { ...value, location };
}

export async function download(path, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await call(path, { as: "blob" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// Reads server-sent events by fetch, since EventSource sends no token. Gives the job at its end;
// comes back where the connection breaks.
export async function events(path, told) {
  let last = "0";
  for (let tries = 0; tries < 20; ) {
    try {
      const answer = await answered(path, { headers: { ...headers(), "Last-Event-ID": last } });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const blocks = (text + value).split("\n\n");
        text = blocks.pop();
        for (const block of blocks) {
          const fields = { data: "" };
          for (const line of block.split("\n")) {
            const [, name, content] = /^(\w+): (.*)$/.exec(line) ?? [];
            if (name === "data") fields.data += `${content}\n`;
            else if (name) fields[name] = content;
          }
          if (!fields.event) continue;
          tries = 0;
          last = fields.id;
          const data = JSON.parse(fields.data);
          if (fields.event === "end") return data;
          told(fields.event, data);
        }
      }
    } catch (problem) {
      if (problem.status && problem.status < 500) throw problem;
    }
    tries += 1;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw { title: "No connection", detail: "the stream of events broke off; the job goes on" };
}
